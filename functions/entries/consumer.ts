import { createHandler } from '../consumer.ts';
import { registry } from '../jobs/registry.ts';

export const handler = createHandler(registry);
