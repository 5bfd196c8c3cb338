import type { Bench } from './bench.ts';
import type { Sites } from './sites.ts';

/** What a drill expects, or what it saw: one short text for each thing that it looks at. */
export type Facts<Name extends string = string> = Readonly<Record<Name, string>>;

/** One fault that anyone can watch: the expectation is data, stated before anything runs. */
export interface Drill<Kind extends keyof Sites = keyof Sites> {
  readonly name: string;
  readonly title: string;
  /** Where it runs: drills of one kind share an emulator, one after another. */
  readonly site: Kind;
  /** Short enough for every test run. */
  readonly quick: boolean;
  readonly expected: Facts;
  /** Injects the fault and returns what came of it. Throws when a condition was not reached in its time. */
  run(bench: Bench<Sites[Kind]>): Promise<Facts>;
}

/** Defines a drill. The types hold it to observe exactly what it said it would. */
export const defineDrill = <Kind extends keyof Sites, Name extends string>(
  drill: Drill<Kind> & {
    readonly expected: Facts<Name>;
    run(bench: Bench<Sites[Kind]>): Promise<Facts<NoInfer<Name>>>;
  },
): Drill<Kind> => drill;
