import { describe, expect, it } from 'vitest';
import { queueTimeMs, runTimeMs } from '#core/durations.ts';
import type { HistoryEntry } from '#core/job.ts';
import { reconcileLagSeconds } from '#core/reconciliation.ts';
import { limits, queued, retrying, running, succeeded, t0 } from '#test/support/core/jobs.ts';

const startedAt = t0 + 90_000;

const startedAfter = (...history: readonly HistoryEntry[]) =>
  running({ updatedAt: startedAt, history: [...history, { at: startedAt, event: 'start', attempt: 1 }] });

const accepted: HistoryEntry = { at: t0, event: 'accept' };

describe('the time in the queue', () => {
  it('is from the submission to the start', () => {
    expect(queueTimeMs(startedAfter(accepted))).toBe(90_000);
  });

  it('leaves out the delay that the submission asked for', () => {
    const job = { ...startedAfter(accepted), options: { delaySeconds: 60 } };
    expect(queueTimeMs(job)).toBe(30_000);
  });

  it.each(['retry', 'recover'] as const)('leaves out the attempts before, and the wait after a %s', (event) => {
    const before: HistoryEntry = { at: t0 + 70_000, event, attempt: 1, detail: { waitSeconds: 4 } };
    expect(queueTimeMs(startedAfter(accepted, before))).toBe(16_000);
  });

  it('counts from the redrive of a dead job', () => {
    const died: HistoryEntry = { at: t0 + 5_000, event: 'dead' };
    const redriven: HistoryEntry = { at: t0 + 80_000, event: 'redrive' };
    const job = { ...startedAfter(accepted, died, redriven), options: { delaySeconds: 60 } };
    expect(queueTimeMs(job)).toBe(10_000);
  });

  it('counts on while a message is lost and sent again', () => {
    expect(queueTimeMs(startedAfter(accepted, { at: t0 + 60_000, event: 'resend' }))).toBe(90_000);
  });

  it('is never negative, as when a recovery starts the next attempt in the same write', () => {
    const recovered: HistoryEntry = { at: startedAt, event: 'recover', detail: { waitSeconds: 1 } };
    expect(queueTimeMs(startedAfter(accepted, recovered))).toBe(0);
  });
});

describe('the run time', () => {
  it.each([succeeded, retrying])('is from the start that a worker holds to the finish that it wrote', (become) => {
    expect(runTimeMs(running({ updatedAt: t0 }), become({ updatedAt: t0 + 1_250 }))).toBe(1_250);
  });

  it('is never negative when the clock was set back', () => {
    expect(runTimeMs(running({ updatedAt: t0 }), queued({ updatedAt: t0 - 1 }))).toBe(0);
  });
});

describe('the lag of the upkeep', () => {
  const periodMs = limits.reconcilerPeriodSeconds * 1000;
  const lag = (afterMs: number, tokensLeft = 0) =>
    reconcileLagSeconds({ startedAt: t0 + afterMs, lastRunAt: t0, tokensLeft }, limits);

  it('is nothing for a run in its time, or before it', () => {
    expect([lag(periodMs), lag(0), lag(periodMs + 499)]).toEqual([0, 0, 0]);
  });

  it('is by how much a run comes late', () => {
    expect(lag(periodMs + 90_000)).toBe(90);
  });

  it('is nothing for the first run', () => {
    expect(reconcileLagSeconds({ startedAt: t0, lastRunAt: 0, tokensLeft: 0 }, limits)).toBe(0);
  });

  it('is a period more for each run that is needed for the tokens left', () => {
    const max = limits.reconcilerRecordsMax;
    expect([1, max, max + 1].map((left) => lag(periodMs, left))).toEqual([60, 60, 120]);
  });
});
