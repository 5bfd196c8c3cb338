import { createHandler } from 'sluice/functions/consumer';
import { registry } from './registry.ts';

export const handler = createHandler(registry);
