import { jobRegistry } from 'sluice/functions';
import { reserveStock } from './reserve-stock.ts';

/** The job types of this app; nothing of Sluice's own sample jobs is in it. */
export const registry = jobRegistry(reserveStock);
