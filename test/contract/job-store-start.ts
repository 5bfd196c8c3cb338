import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Job } from '#core/job.ts';
import { bounds } from '#core/limits.ts';
import { meet } from '#core/meeting.ts';
import type { Message } from '#core/message.ts';
import { transition } from '#core/transition.ts';
import type { StartWrite } from '#functions/ports.ts';
import { dead, ended, limits, messageOf, queued, retrying, running, succeeded, t0 } from '#test/support/core/jobs.ts';
import { changed, count, identity, type StoreUnderTest, seeded } from './subjects.ts';

const write = (over: Partial<StartWrite> = {}): StartWrite => ({
  now: t0,
  owner: 'owner-a',
  leaseUntil: t0 + 60_000,
  attempt: 0,
  ...over,
});

/** Times around the one that a guard compares with, so that both sides of it and the very moment come up often. */
const aroundNow = fc.constantFrom(undefined, t0 - 60_000, t0 - 1, t0, t0 + 1, t0 + 60_000);

const anyJob: fc.Arbitrary<Job> = fc
  .record({
    shape: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom<Job[]>(queued(), retrying()) },
      {
        weight: 2,
        arbitrary: fc.constantFrom<Job[]>(running(), succeeded(), dead(), ended('cancelled'), ended('expired')),
      },
    ),
    attempt: fc.nat({ max: 3 }),
    attemptsMax: fc.integer({ min: 1, max: 4 }),
    starts: fc.nat({ max: 9 }),
    losses: fc.constantFrom(0, 0, 0, 1),
    tenure: fc.nat({ max: 2 }),
    returns: fc.nat({ max: 2 }),
    nextAttemptAt: aroundNow,
    deadlineAt: aroundNow,
    marks: fc.record({ stale: fc.constant(true as const), unsent: fc.constant(true as const) }, { requiredKeys: [] }),
  })
  .map(({ shape, nextAttemptAt, marks, ...over }): Job => {
    const job = { ...shape, ...over, ...marks };
    if (job.state === 'queued') return { ...job, nextAttemptAt };
    return job.state === 'retrying' ? { ...job, nextAttemptAt: nextAttemptAt ?? t0 } : job;
  });

/** A job that may start, with what the visit that starts it gets right. */
const anyWelcome = fc.record({
  job: fc
    .record({
      shape: fc.constantFrom(queued(), retrying()),
      attempt: fc.nat({ max: 2 }),
      attemptsMax: fc.integer({ min: 3, max: 4 }),
      nextAttemptAt: fc.constantFrom(t0 - 60_000, t0 - 1, t0),
      deadlineAt: fc.constantFrom(undefined, t0 + 1, t0 + 60_000),
      stale: fc.constantFrom(undefined, true as const),
      returns: fc.nat({ max: 2 }),
    })
    .map(({ shape, ...over }): Job => ({ ...shape, ...over })),
  tenureOff: fc.constant(0),
  fingerprint: fc.constant('f'),
  guessOff: fc.constant(0),
});

const anyVisit = fc.oneof(
  anyWelcome,
  fc.record({
    job: anyJob,
    tenureOff: fc.constantFrom(0, 0, 0, 0, -1, 1),
    fingerprint: fc.constantFrom('f', 'f', 'f', 'f', 'e'),
    guessOff: fc.constantFrom(0, 0, 0, 0, -1, 1),
  }),
);

export const describeStart = (make: () => Promise<StoreUnderTest>, runs: number): void => {
  describe('start', () => {
    it('lets in exactly what meet and transition let in, and writes exactly what transition makes', async () => {
      const { store } = await make();
      const seen = { started: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(anyVisit, async ({ job: shape, tenureOff, fingerprint, guessOff }) => {
          const job = await seeded(store, { ...shape, ...identity() });
          const message: Message = messageOf(job, {
            tenure: job.tenure + tenureOff,
            fingerprint: fingerprint.repeat(64),
          });
          const start = write({ attempt: job.attempt + guessOff });
          const meeting = meet(job, message, start.now, 0, limits);
          const next = transition(job, { type: 'start', ...start }, limits);
          const mayStart = meeting.act === 'start' && !meeting.suspect && guessOff === 0 && next.ok;
          const result = await store.start(message, start);
          const expected = mayStart ? { kind: 'started', job: next.job } : { kind: 'refused', job };
          expect(result).toEqual(expected);
          expect(await store.read(job.id)).toEqual(expected.job);
          seen[result.kind] += 1;
        }),
        { numRuns: runs },
      );
      // A guard that refused everything, or let everything in, must not pass for want of the other case.
      expect(Math.min(seen.started, seen.refused)).toBeGreaterThan(runs / 10);
    });

    it('refuses a job that is not there, and makes none', async () => {
      const { store } = await make();
      const job = queued(identity());
      expect(await store.start(messageOf(job), write())).toEqual({ kind: 'refused', job: undefined });
      expect(await store.read(job.id)).toBeUndefined();
    });

    it.each([
      ['due exactly now', retrying({ nextAttemptAt: t0 }), {}, {}],
      ['delayed until now', queued({ nextAttemptAt: t0, attempt: 1 }), {}, {}],
      ['a moment before its deadline', queued({ deadlineAt: t0 + 1, attempt: 1 }), {}, {}],
      ['with one attempt left', retrying({ attempt: 2, attemptsMax: 3 }), {}, { attempt: 2 }],
      ['marked as stale and unsent', queued({ stale: true, unsent: true, returns: 4, attempt: 1 }), {}, {}],
    ])('starts a job that is %s', async (_, shape, message, start) => {
      const { store } = await make();
      const job = await seeded(store, { ...shape, ...identity() });
      const result = await store.start(messageOf(job, message), write({ attempt: 1, ...start }));
      expect(result).toEqual({ kind: 'started', job: changed(job, { type: 'start', ...write() }) });
    });

    it.each([
      ['not due for another moment', retrying({ nextAttemptAt: t0 + 1 }), {}, {}],
      ['at its deadline', retrying({ deadlineAt: t0 }), {}, {}],
      ['without an attempt left', retrying({ attempt: 3, attemptsMax: 3 }), {}, { attempt: 3 }],
      ['further than the guess', retrying({ attempt: 2 }), {}, {}],
      ['not as far as the guess', queued({ attempt: 0 }), {}, {}],
      ['a suspect', retrying({ losses: 1 }), {}, {}],
      ['of another fingerprint', retrying(), { fingerprint: '0'.repeat(64) }, {}],
      ['of a newer tenure', retrying({ tenure: 1 }), { tenure: 0 }, {}],
      ['of an older tenure', retrying(), { tenure: 1 }, {}],
      ['running', running(), {}, {}],
      ['running with an ended lease', running({ leaseUntil: t0 - 3_600_000 }), {}, {}],
      ['succeeded', succeeded(), {}, {}],
      ['dead', dead(), {}, {}],
      ['cancelled', ended('cancelled'), {}, {}],
      ['expired', ended('expired'), {}, {}],
      ['discarded', ended('discarded'), {}, {}],
    ])('refuses a job that is %s, and shows it', async (_, shape, message, start) => {
      const { store } = await make();
      const job = await seeded(store, { ...shape, ...identity() });
      const result = await store.start(messageOf(job, message), write({ attempt: 1, ...start }));
      expect(result).toEqual({ kind: 'refused', job });
      expect(await store.read(job.id)).toEqual(job);
    });

    it('leaves a job with a full history to the way that cuts it', async () => {
      const { store } = await make();
      const entries = Array.from(
        { length: bounds.historyEntriesMax },
        (_, i) => ({ at: t0 + i, event: 'resend' }) as const,
      );
      const full = await seeded(store, queued({ ...identity(), history: entries }));
      expect(await store.start(messageOf(full), write())).toEqual({ kind: 'refused', job: full });
      const room = await seeded(store, queued({ ...identity(), history: entries.slice(1) }));
      expect((await store.start(messageOf(room), write())).kind).toBe('started');
    });

    it('lets one of several workers in', async () => {
      const { store } = await make();
      const job = await seeded(store, queued(identity()));
      const owners = Array.from({ length: 6 }, (_, i) => `owner-${i}`);
      const results = await Promise.all(owners.map((owner) => store.start(messageOf(job), write({ owner }))));
      const kinds = results.map((result) => result.kind);
      expect(count(kinds, 'started')).toBe(1);
      const winner = owners[kinds.indexOf('started')];
      expect(await store.read(job.id)).toMatchObject({ state: 'running', owner: winner, attempt: 1, starts: 1 });
    });

    it('recognises its own start when the first answer was lost', async () => {
      const { store, repeating } = await make();
      const job = await seeded(store, queued(identity()));
      const startedJob = changed(job, { type: 'start', ...write() });
      expect(await repeating().start(messageOf(job), write())).toEqual({ kind: 'started', job: startedJob });
      expect(await store.read(job.id)).toEqual(startedJob);
    });

    it('recognises it also when somebody has marked the job meanwhile', async () => {
      const { store, repeating } = await make();
      const job = await seeded(store, queued(identity()));
      const startedJob = changed(job, { type: 'start', ...write() });
      const marked = changed(startedJob, { type: 'cancel', now: t0, actor: 'op' });
      const between = async () => void (await store.save(startedJob, marked));
      expect(await repeating(between).start(messageOf(job), write())).toEqual({ kind: 'started', job: marked });
    });
  });
};
