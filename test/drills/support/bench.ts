import { randomBytes } from 'node:crypto';
import type { Reporter } from './report.ts';
import type { Site } from './sites.ts';
import { System } from './system.ts';

/** What was in flight at one moment of a drill. `queued`, `running` and `retrying` are null where the API gives none. */
export interface Counts {
  readonly moment: 'before' | 'during' | 'after';
  readonly queued: number | null;
  readonly running: number | null;
  readonly retrying: number | null;
  readonly slots: number;
}

export const countsText = (c: Omit<Counts, 'moment'>): string =>
  `queued ${c.queued} · running ${c.running} · retrying ${c.retrying} · slots ${c.slots}`;

/** What a drill works with: the system, names of its own, and a voice in the report. */
export class Bench<S extends Site = Site> {
  readonly site: S;
  readonly system: System;
  readonly counts: Counts[] = [];
  readonly faults: string[] = [];
  readonly notes: string[] = [];
  readonly #reporter: Reporter;
  readonly #owner = randomBytes(4).toString('hex');

  constructor(site: S, name: string, reporter: Reporter) {
    this.site = site;
    this.#reporter = reporter;
    this.#owner = `${name}-${this.#owner}`;
    this.system = new System(site.outputs, (line) => reporter.trace(line));
  }

  /** An idempotency key that no other drill and no other run uses. */
  key(name: string | number): string {
    return `${this.#owner}.${name}`;
  }

  /** A ledger account that no other drill and no other run uses. */
  account(name: string | number = 'account'): string {
    return `${this.#owner}-${name}`;
  }

  /** Says that a fault is injected now, and which. */
  fault(text: string): void {
    this.faults.push(text);
    this.#reporter.line('fault', text);
  }

  /** Says what helps to read the outcome but is not judged: durations, rates. */
  note(text: string): void {
    this.notes.push(text);
    this.#reporter.line('note', text);
  }

  /** Only with `--trace`. */
  trace(text: string): void {
    this.#reporter.trace(text);
  }

  /** Counts what is in flight, for the report. Every drill does so while its fault lasts. */
  async look(moment: Counts['moment']): Promise<Counts> {
    const { inFlight } = await this.system.status();
    const counts = {
      moment,
      queued: inFlight.queued,
      running: inFlight.running,
      retrying: inFlight.retrying,
      slots: inFlight.total,
    };
    this.counts.push(counts);
    this.#reporter.line(moment, countsText(counts));
    return counts;
  }
}
