import type { State } from '#core/job.ts';

/** One way in which a job of the soak may go. */
export interface Kind {
  readonly name: string;
  /** How often it comes, against the others. */
  readonly weight: number;
  readonly type: string;
  /** Beside account and amount. */
  readonly script?: object;
  readonly options?: { readonly delaySeconds?: number; readonly deadlineSeconds?: number };
  /** How it ends once the faults are over and what died was redriven, if nobody cancels it. */
  readonly ends: readonly State[];
  /** It ends the process that runs it. */
  readonly killer?: true;
}

const scripted = 'test.scripted';
const credit = 'ledger.credit';
const well: readonly State[] = ['succeeded'];
const never: readonly State[] = ['dead', 'discarded'];

export const kinds: readonly Kind[] = [
  { name: 'plain', weight: 40, type: credit, ends: well },
  { name: 'delayed', weight: 5, type: credit, options: { delaySeconds: 2 }, ends: well },
  // Whether it starts before its deadline depends on what is in its way.
  { name: 'urgent', weight: 5, type: credit, options: { deadlineSeconds: 4 }, ends: ['succeeded', 'expired'] },
  { name: 'flaky', weight: 14, type: scripted, script: { failBefore: 1 }, ends: well },
  { name: 'outage', weight: 6, type: scripted, script: { failBefore: 4 }, ends: well },
  { name: 'lost-ack', weight: 8, type: scripted, script: { loseAck: 1 }, ends: well },
  { name: 'hanging', weight: 2, type: scripted, script: { hangSeconds: 3 }, ends: well },
  { name: 'killer', weight: 2, type: scripted, script: { exit: 1 }, ends: well, killer: true },
  { name: 'broken', weight: 6, type: scripted, script: { permanent: true }, ends: never },
  { name: 'hopeless', weight: 3, type: scripted, script: { failBefore: 99 }, ends: never },
];

/** By their weights; `random` in [0, 1). */
export const chooseKind = (random: number, killers: boolean): Kind => {
  const open = kinds.filter((kind) => killers || !kind.killer);
  let left = random * open.reduce((sum, { weight }) => sum + weight, 0);
  const found = open.find((kind) => {
    left -= kind.weight;
    return left < 0;
  });
  if (found === undefined) throw new RangeError(`${random} is not in [0, 1)`);
  return found;
};
