import { createHandler } from '#functions/api.ts';
import { localRegistry } from '../jobs/scripted.ts';

export const handler = createHandler(localRegistry);
