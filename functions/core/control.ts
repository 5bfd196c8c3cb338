/**
 * The wish of the operators: intake and capacity. Each change gives it its next version first; shards refuse the writes
 * of older versions, so a slow change can never undo a newer one.
 */
export interface Control {
  readonly version: number;
  readonly capacity: number;
  /** Shards that ever existed; a retired one keeps its members until they leave. */
  readonly shards: number;
  readonly intake: Intake;
  /** The newest version whose caps were dealt out; below `version` the reconciler finishes the deal. */
  readonly dealtVersion: number;
  readonly drain?: Drain | undefined;
}

/** What a drain is waiting for, kept beside the wish until the next one. */
export interface Drain {
  /** `cancel` ends what has not passed its last checkpoint instead of waiting for it. */
  readonly mode: 'drain' | 'cancel';
  /** Who asked for it; stands in the history of the jobs that it cancels. */
  readonly actor: string;
  /** Epoch milliseconds; what is left then is named, and the intake is simply closed. */
  readonly until: number;
  /** Successive looks that found no slot taken and no message being worked on; the second one says `drained`. */
  readonly cleanLooks: number;
}

export const cleanLooksNeeded = 2;

export type Intake = 'open' | 'closed' | 'draining' | 'drained';
