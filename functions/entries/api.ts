import { createHandler } from '../api.ts';
import { registry } from '../jobs/registry.ts';

export const handler = createHandler(registry);
