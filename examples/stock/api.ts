import { createHandler } from 'sluice/functions/api';
import { registry } from './registry.ts';

export const handler = createHandler(registry);
