import { describe, expect, it } from 'vitest';
import { type Job, states } from '#core/job.ts';
import type { JobEvent } from '#core/job-event.ts';
import { transition } from '#core/transition.ts';
import {
  dead,
  ended,
  limits,
  owner,
  queued,
  retrying,
  running,
  slotAt,
  succeeded,
  t0,
} from '#test/support/core/jobs.ts';

/** Late enough for every lease and every wait of these jobs to be over. */
const now = t0 + 120_000;

/** What a job carries beforehand, so that only its state can be the reason of a refusal. */
type Setting = { deadlineAt?: number; stale?: true; unsent?: true };

const jobs: Record<Job['state'], (setting: Setting) => Job> = {
  queued: (s) => queued(s),
  running: (s) => running(s),
  retrying: (s) => retrying(s),
  succeeded: (s) => succeeded(s),
  dead: (s) => dead(s),
  cancelled: (s) => ended('cancelled', s),
  expired: (s) => ended('expired', s),
  discarded: (s) => ended('discarded', s),
};

const finish = (outcome: Extract<JobEvent, { type: 'finish' }>['outcome']): JobEvent => ({
  type: 'finish',
  now,
  owner,
  outcome,
  jitter: 0,
});

const columns: readonly [name: string, event: JobEvent, setting?: Setting][] = [
  ['start', { type: 'start', now, owner: 'next', leaseUntil: now + 60_000 }],
  ['finish done', finish({ kind: 'done', result: '1', external: false })],
  ['finish retry', finish({ kind: 'retry', code: 'retryable-error', message: 'm', burnsAttempt: true })],
  ['finish fail', finish({ kind: 'fail', code: 'permanent-error', message: 'm' })],
  ['finish cancelled', finish({ kind: 'cancelled' })],
  ['recover', { type: 'recover', now, jitter: 0 }],
  ['cancel', { type: 'cancel', now, actor: 'op' }],
  ['expire', { type: 'expire', now }, { deadlineAt: now }],
  ['bury', { type: 'bury', now, reason: { code: 'never-started', message: 'm' } }],
  ['redrive', { type: 'redrive', now, slot: slotAt(now), actor: 'op', force: false }],
  ['discard', { type: 'discard', now, actor: 'op' }],
  ['resend', { type: 'resend', now, cause: 'missing' }],
  ['mark-stale', { type: 'mark-stale', now }],
  ['clear-stale', { type: 'clear-stale', now }, { stale: true }],
  ['mark-unsent', { type: 'mark-unsent', now }],
  ['mark-sent', { type: 'mark-sent', now }, { unsent: true }],
];

/**
 * Section 2 of the design as a table: the state that follows, or `✗` with the refusal. A bare `✗` is a refusal that the
 * design does not name. `final` stands for succeeded, cancelled, expired and discarded.
 */
const table = `
                   | queued        | running     | retrying      | dead       | final
  start            | running       | ✗ running   | running       | ✗ dead     | ✗ final
  finish done      | ✗ not-running | succeeded   | ✗ not-running | ✗ dead     | ✗ final
  finish retry     | ✗ not-running | retrying    | ✗ not-running | ✗ dead     | ✗ final
  finish fail      | ✗ not-running | dead        | ✗ not-running | ✗ dead     | ✗ final
  finish cancelled | ✗ not-running | cancelled   | ✗ not-running | ✗ dead     | ✗ final
  recover          | ✗ not-running | retrying    | ✗ not-running | ✗ dead     | ✗ final
  cancel           | cancelled     | running     | cancelled     | ✗ dead     | ✗ final
  expire           | expired       | ✗ running   | expired       | ✗ dead     | ✗ final
  bury             | dead          | ✗ running   | dead          | ✗ dead     | ✗ final
  redrive          | ✗ not-dead    | ✗ not-dead  | ✗ not-dead    | queued     | ✗ not-dead
  discard          | ✗ not-dead    | ✗ not-dead  | ✗ not-dead    | discarded  | ✗ not-dead
  resend           | queued        | ✗ running   | retrying      | ✗ dead     | ✗ final
  mark-stale       | queued        | running     | retrying      | ✗ dead     | ✗ final
  clear-stale      | queued        | running     | retrying      | ✗          | ✗
  mark-unsent      | queued        | ✗ running   | retrying      | ✗ dead     | ✗ final
  mark-sent        | queued        | running     | retrying      | ✗          | ✗
`;

const cellsOf = (line: string): string[] => line.split('|').map((cell) => cell.trim());
const [heading = '', ...lines] = table.trim().split('\n');
const headings = cellsOf(`|${heading}`).filter((cell) => cell !== '');
const rows = new Map(lines.map((line) => [cellsOf(line)[0], cellsOf(line).slice(1)]));

const cells = states.flatMap((state) =>
  columns.map(([name, event, setting = {}]) => {
    const column = headings.indexOf(headings.includes(state) ? state : 'final');
    return { state, name, event, setting, expected: rows.get(name)?.[column] ?? 'not in the table' };
  }),
);

describe('every state meets every event', () => {
  it('covers the whole table', () => {
    expect(headings).toEqual(['queued', 'running', 'retrying', 'dead', 'final']);
    expect(cells).toHaveLength(8 * 16);
    expect(cells.map((c) => c.expected)).not.toContain('not in the table');
  });

  it.each(cells)('$state, $name → $expected', ({ state, event, setting, expected }) => {
    const made = transition(jobs[state](setting), event, limits);
    if (expected === '✗') expect(made.ok).toBe(false);
    else expect(made.ok ? made.job.state : `✗ ${made.refusal}`).toBe(expected);
  });
});
