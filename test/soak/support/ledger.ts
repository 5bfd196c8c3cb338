import { everyItem } from '#test/support/every-item.ts';
import type { LocalOutputs } from '../../../localstack/outputs.ts';
import type { Effect } from './verdict.ts';

/** What every account was credited with, and in how many writes. */
export const everyAccount = async (outputs: LocalOutputs): Promise<ReadonlyMap<string, Effect>> => {
  const items = await everyItem(outputs, outputs.ledgerTableName);
  return new Map(
    items.map((item) => [
      item['account']?.S ?? '',
      { total: Number(item['total']?.N ?? 0), writes: Number(item['writes']?.N ?? 0) },
    ]),
  );
};
