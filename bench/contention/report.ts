import { hotExpectations, hotLoads, type Miss, slotExpectations, slotLoads } from './expected.ts';
import type { HotRow } from './hot-account.ts';
import type { SlotRow } from './slots.ts';

export interface Contention {
  readonly conditions: Readonly<Record<string, string | number>>;
  readonly slots: readonly SlotRow[];
  readonly hotAccounts: readonly HotRow[];
  /** Which row missed which expectation. */
  readonly misses: readonly (Miss & { readonly row: string })[];
}

const table = (header: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [header, header.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

export const slotRowName = ({ capacity, room, writers }: SlotRow): string =>
  `${writers} writers, ${room} of ${capacity} free`;

export const hotRowName = ({ consumers, jobs, foreign }: HotRow): string =>
  `${consumers} ${consumers === 1 ? 'consumer' : 'consumers'}, ${jobs} jobs${foreign > 0 ? `, ${percent(foreign, 1)} foreign` : ''}`;

const slotTable = (rows: readonly SlotRow[]): string =>
  table(
    ['slots', 'asks', 'taken', 'full', 'remembered', 'in error', 'most held', 'calls a taken', 'calls a refused'],
    rows.map((row) => {
      const asks = row.writers * row.asksEach;
      return [
        slotRowName(row),
        asks,
        percent(row.taken, asks),
        percent(row.full, asks),
        percent(row.remembered, asks),
        percent(row.inError, asks),
        `${row.mostHeld} of ${row.room}`,
        row.callsPerTaken.toFixed(2),
        row.callsPerRefused.toFixed(2),
      ];
    }),
  );

const hotTable = (rows: readonly HotRow[]): string =>
  table(
    ['one hot account', 'succeeded', 'starts a job', 'put back', 'transactions a job', 'conflicts', 'seconds'],
    rows.map((row) => [
      hotRowName(row),
      percent(row.succeeded, row.jobs),
      (row.starts / row.jobs).toFixed(2),
      row.putBack,
      (row.transactions / row.jobs).toFixed(2),
      percent(row.conflicts, row.transactions),
      row.seconds.toFixed(1),
    ]),
  );

/** What is expected of each load, for whoever reads it before the run. */
export const expectedText = (): string => {
  const slots = slotLoads.map(
    ({ capacity, room, writers }) => `  ${writers} writers, ${room} of ${capacity} slots free`,
  );
  const hot = hotLoads.map(
    ({ consumers, jobs, heldMs, foreign }) =>
      `  ${consumers} × 10 messages at once, ${jobs} jobs, transactions of ${heldMs} ms, ${percent(foreign, 1)} met by others'`,
  );
  return [
    'Slots near the bound:',
    ...slots,
    `Expected: ${slotExpectations.map(({ what, says }) => `${what} ${says}`).join('; ')}.`,
    'One hot account:',
    ...hot,
    `Expected: ${hotExpectations.map(({ what, says }) => `${what} ${says}`).join('; ')}.`,
  ].join('\n');
};

const explained = `Instances of the API, each with a memory of its own, take and free slots of one registry that is nearly full, on the
real adapters. "Full": at some moment of the ask all slots may have been taken. "Remembered": a slot was free, but the
instance's last look, at most a second ago, had found none; that is how refusing costs nothing. "In error": a slot was free
from the ask to the answer, and no such look excuses it. A slot is held between the answer of the take and the beginning
of its freeing.

Jobs that all credit one account, consumed in batches of ten by consumers side by side. The emulator never says
TransactionConflict, so the clients are made to: a transaction that meets another one on an item is cancelled, and
"foreign" ones meet somebody else's besides. "Put back": a finish that gave up for now, which burns no attempt.`;

/** The section of the report, without its heading. */
export const sectionText = ({ conditions, slots, hotAccounts, misses }: Contention): string =>
  [
    `Made by \`npm run bench:contention\`. ${Object.entries(conditions)
      .map(([name, value]) => `${name}: ${value}`)
      .join('; ')}.`,
    explained,
    slotTable(slots),
    hotTable(hotAccounts),
    misses.length === 0
      ? 'All as it was expected before the run (`bench/contention/expected.ts`).'
      : `Not as expected:\n\n${missText(misses)}`,
  ].join('\n\n');

export const missText = (misses: Contention['misses']): string =>
  misses
    .map(({ row, what, atMost, found }) => `- ${row}: ${what}: ${found.toFixed(3)}, expected at most ${atMost}`)
    .join('\n');
