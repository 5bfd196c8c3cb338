/** A place where work stops until somebody opens it. */
export interface Gate {
  /** Resolves once somebody waits at the gate, or has. */
  readonly reached: Promise<void>;
  /** Waits until the gate is open. A gate that is never opened is a worker that died there. */
  pass(): Promise<void>;
  open(): void;
}

export const makeGate = (): Gate => {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    pass: () => {
      reached.resolve();
      return opened.promise;
    },
    open: () => opened.resolve(),
  };
};

/** Lets nobody through until this many have come, so that all of them go on at the same moment. */
export const makeBarrier = (parties: number): (() => Promise<void>) => {
  const all = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    come += 1;
    if (come >= parties) all.resolve();
    return all.promise;
  };
};
