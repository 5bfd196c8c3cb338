import { createHandler } from '#functions/consumer.ts';
import { losingAcks } from '../jobs/lose-acks.ts';
import { localRegistry } from '../jobs/scripted.ts';

export const handler = losingAcks(createHandler(localRegistry));
