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
}

export type Intake = 'open' | 'closed' | 'draining' | 'drained';
