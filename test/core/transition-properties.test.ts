import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFinal, isInFlight, type Job, states } from '#core/job.ts';
import type { JobEvent } from '#core/job-event.ts';
import { bounds } from '#core/limits.ts';
import { transition } from '#core/transition.ts';
import { limits, queued, t0 } from '#test/support/core/jobs.ts';
import { anyWalk, changes, type Walk } from '#test/support/core/walks.ts';

const holds = (check: (walk: Walk) => void): void => {
  fc.assert(fc.property(anyWalk, check), { numRuns: 300 });
};

const request = ({ id, type, key, scope, fingerprint, payload, options, submittedAt }: Job) => ({
  id,
  type,
  key,
  scope,
  fingerprint,
  payload,
  options,
  submittedAt,
});

const askedSeconds = (event: JobEvent): number | undefined =>
  event.type === 'finish' && event.outcome.kind === 'retry' ? event.outcome.afterSeconds : undefined;

describe('whatever happens to a job', () => {
  it('the random lives reach every state, so the properties below speak of all of them', () => {
    const seen = new Set(
      fc.sample(anyWalk, { numRuns: 500, seed: 1 }).flatMap((w) => changes(w).map((s) => s.after.state)),
    );
    expect([...seen].sort()).toEqual([...states].sort());
  });

  it('G5 attempts stay within attemptsMax, and those that burned one are at most as many per tenure', () => {
    holds((walk) => {
      const burned = new Map<number, number>();
      for (const { before, event, after } of changes(walk)) {
        expect(after.attempt).toBeGreaterThanOrEqual(0);
        expect(after.attempt).toBeLessThanOrEqual(walk.limits.attemptsMax);
        const gaveBack = event.type === 'finish' && after.state === 'retrying' && after.attempt < before.attempt;
        const delta = event.type === 'start' ? 1 : gaveBack ? -1 : 0;
        burned.set(after.tenure, (burned.get(after.tenure) ?? 0) + delta);
        expect(burned.get(after.tenure)).toBe(after.attempt);
      }
    });
  });

  it('starts grow by one with each start and never otherwise', () => {
    holds((walk) => {
      for (const { before, event, after } of changes(walk)) {
        expect(after.starts - before.starts).toBe(event.type === 'start' ? 1 : 0);
      }
    });
  });

  it('rev rises by one with every change', () => {
    holds((walk) => {
      for (const { before, event, after } of changes(walk)) {
        expect(after.rev).toBe(before.rev + 1);
        expect(after.updatedAt).toBe(event.now);
      }
    });
  });

  it('G3 a final state never changes', () => {
    holds((walk) => {
      for (const { before, after } of walk.steps) {
        if (isFinal(before)) expect(after).toBeUndefined();
      }
    });
  });

  it('G4 the request never changes', () => {
    holds((walk) => {
      for (const { after } of changes(walk)) expect(request(after)).toEqual(request(walk.admitted));
    });
  });

  it('G8 the slot and the tenure change with a redrive only', () => {
    holds((walk) => {
      for (const { before, event, after } of changes(walk)) {
        const redriven = event.type === 'redrive';
        expect(after.slot).toBe(redriven ? event.slot : before.slot);
        expect(after.tenure - before.tenure).toBe(redriven ? 1 : 0);
        expect(after.redrives - before.redrives).toBe(redriven ? 1 : 0);
      }
    });
  });

  it('G5 a wait is at least base × 2^(attempt-1), up to the cap, jitter adds up to its ratio, what was asked for the rest', () => {
    holds((walk) => {
      for (const { before, event, after } of changes(walk)) {
        if (before.state !== 'running' || after.state !== 'retrying') continue;
        const { waitBaseSeconds, waitCapSeconds, waitJitterRatio } = walk.limits;
        const least = Math.min(waitCapSeconds, waitBaseSeconds * 2 ** (before.attempt - 1)) * 1000;
        const wait = after.nextAttemptAt - (event.type === 'recover' ? before.leaseUntil : event.now);
        expect(wait).toBeGreaterThanOrEqual(least);
        const asked = (askedSeconds(event) ?? 0) * 1000;
        expect(wait).toBeGreaterThanOrEqual(asked);
        expect(wait).toBeLessThanOrEqual(Math.max(least * (1 + waitJitterRatio) + 1, asked));
        expect(after.waitedMs - before.waitedMs).toBe(wait);
      }
    });
  });

  it('G5 the waits of a tenure stay within its budget, and no retry is set for the deadline or later', () => {
    holds((walk) => {
      for (const { after } of changes(walk)) {
        expect(after.waitedMs).toBeLessThanOrEqual(after.waitBudgetMs);
        if (after.state === 'retrying' && after.deadlineAt !== undefined) {
          expect(after.nextAttemptAt).toBeLessThan(after.deadlineAt);
        }
      }
    });
  });

  it('G5 no attempt starts before its wait is over, nor at or after the deadline', () => {
    holds((walk) => {
      for (const { before, event, after } of changes(walk)) {
        if (event.type !== 'start') continue;
        expect(after.state).toBe('running');
        if (before.state === 'retrying' || before.state === 'queued')
          expect(before.nextAttemptAt ?? 0).toBeLessThanOrEqual(event.now);
        expect(before.deadlineAt ?? Number.POSITIVE_INFINITY).toBeGreaterThan(event.now);
      }
    });
  });

  it('G3 only the owner of a running job finishes it', () => {
    holds((walk) => {
      for (const { before, event } of changes(walk)) {
        if (event.type === 'finish') expect(before).toMatchObject({ state: 'running', owner: event.owner });
      }
    });
  });

  it('nothing is left behind: owner and lease only while running, marks only where they mean something', () => {
    holds((walk) => {
      for (const { after } of changes(walk)) {
        const left: Partial<Record<string, unknown>> = { ...after };
        expect(left['owner'] !== undefined).toBe(after.state === 'running');
        expect(left['leaseUntil'] !== undefined).toBe(after.state === 'running');
        if (after.state !== 'queued' && after.state !== 'retrying')
          expect([left['nextAttemptAt'], after.unsent]).toEqual([undefined, undefined]);
        if (after.state !== 'running') expect(after.cancelRequested).toBeUndefined();
        if (!isInFlight(after)) expect(after.stale).toBeUndefined();
        expect(left['reason'] !== undefined).toBe(after.state === 'dead' || after.state === 'discarded');
        expect(left['expiresAt'] !== undefined).toBe(isFinal(after));
      }
    });
  });

  it('history grows by at most one entry, of that moment, and is never rewritten', () => {
    holds((walk) => {
      for (const { before, event, after } of changes(walk)) {
        const added = after.history.slice(before.history.length);
        expect(after.history.slice(0, before.history.length)).toEqual(before.history);
        expect(added.length).toBeLessThanOrEqual(1);
        for (const entry of added) expect(entry.at).toBe(event.now);
      }
    });
  });
});

describe('history at its bound', () => {
  it('keeps its first entry and the newest, and never grows beyond', () => {
    let job: Job = queued();
    for (let n = 1; n <= bounds.historyEntriesMax + 50; n += 1) {
      const made = transition(job, { type: 'resend', now: t0 + n, cause: 'missing' }, limits);
      if (!made.ok) throw new Error(made.refusal);
      job = made.job;
      expect(job.history).toHaveLength(Math.min(n + 1, bounds.historyEntriesMax));
    }
    expect(job.history[0]).toEqual({ at: t0, event: 'accept' });
    expect(job.history.at(-1)?.at).toBe(t0 + bounds.historyEntriesMax + 50);
    expect(job.history[1]?.at).toBe(t0 + 52);
  });
});
