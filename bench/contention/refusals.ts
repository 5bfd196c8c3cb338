/** One ask for a slot, as the writer saw it; times in milliseconds of one clock. */
export interface Ask {
  readonly writer: number;
  readonly from: number;
  readonly to: number;
  readonly answer: 'taken' | 'refused' | 'failed';
  /** It tried a shard or read the registry; otherwise the instance refused from what it remembered. */
  readonly looked: boolean;
  /** Calls to DynamoDB, those of freeing left out. */
  readonly calls: number;
  /** When its last try of a shard began; earlier ones were refused. */
  readonly triedAt?: number | undefined;
  /** Of a slot that was taken: when its freeing began, and when it was answered. */
  readonly freed?: { readonly from: number; readonly to: number };
}

/** How many of the refusals were right, and how far the registry was filled. */
export interface Judgement {
  /** At some moment of the ask all slots may have been taken. */
  readonly full: number;
  /** A slot was free all along, but the instance remembered "full" from its last look, at most a second ago. */
  readonly remembered: number;
  /**
   * Refused in error: from the ask to its answer a slot was free at every moment, whatever the order of the calls in
   * between, and no look of the last second had found all taken.
   */
  readonly inError: number;
  /** The most slots that were held at one moment for certain: taken and answered, their freeing not yet begun. */
  readonly mostHeld: number;
}

interface Step {
  readonly at: number;
  readonly by: 1 | -1;
}

/** At one moment what begins comes before what ends, so that a doubt speaks for "full". */
const inOrder = (steps: readonly Step[]): readonly Step[] => steps.toSorted((a, b) => a.at - b.at || b.by - a.by);

/** The most that were at once in `[from, to]`. */
const mostWithin = (steps: readonly Step[], from: number, to: number): number => {
  let count = 0;
  let most = 0;
  for (const { at, by } of steps) {
    if (at > to) break;
    if (at >= from) most = Math.max(most, count, count + by);
    count += by;
  }
  return Math.max(most, count);
};

/**
 * Judges the refusals of a run in which `room` slots could be taken at once, by instances that may remember a look for
 * `memoryMs`. Who holds a slot is seen from outside: it may
 * be held from the moment at which the last try of a shard began until its freeing was answered. Refused asks held nothing; a failed one
 * may hold its slot to the end.
 */
export const judge = (asks: readonly Ask[], room: number, memoryMs: number): Judgement => {
  const holders = asks.filter((ask) => ask.answer !== 'refused');
  const mayHold = inOrder(
    holders.flatMap(({ from, triedAt = from, freed }) => [
      { at: triedAt, by: 1 as const },
      ...(freed ? [{ at: freed.to, by: -1 as const }] : []),
    ]),
  );
  const holds = inOrder(
    holders.flatMap(({ to, freed }) =>
      freed
        ? [
            { at: to, by: 1 as const },
            { at: freed.from, by: -1 as const },
          ]
        : [],
    ),
  );
  const lastLooks = new Map<number, Ask>();
  const counts = { full: 0, remembered: 0, inError: 0 };
  for (const ask of asks.toSorted((a, b) => a.from - b.from)) {
    const lastLook = lastLooks.get(ask.writer);
    if (ask.looked) lastLooks.set(ask.writer, ask);
    if (ask.answer !== 'refused') continue;
    const remembers = !ask.looked && lastLook !== undefined && ask.from - lastLook.to <= memoryMs;
    if (mostWithin(mayHold, ask.from, ask.to) >= room) counts.full += 1;
    else if (remembers && mostWithin(mayHold, lastLook.from, ask.to) >= room) counts.remembered += 1;
    else counts.inError += 1;
  }
  return { ...counts, mostHeld: mostWithin(holds, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY) };
};
