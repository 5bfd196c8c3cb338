import { describe, expect, test } from 'vitest';
import { workThrough } from '../../operator/console/page/bulk.js';
import { jsonText, plain, since, span } from '../../operator/console/page/format.js';
import { binMs, RecentEvents, windowMs } from '../../operator/console/page/rates.js';
import { bulkLike, jobLike, someId } from './support/answers.ts';

const now = Date.parse('2026-01-31T12:10:00.000Z');
const iso = (ms: number) => new Date(ms).toISOString();

describe('rates', () => {
  const job = (n: number, submittedAt: number, ...later: readonly (readonly [string, number])[]) =>
    jobLike({
      id: someId(n),
      submittedAt: iso(submittedAt),
      history: [['accept', submittedAt] as const, ...later].map(([event, at]) => ({ event, at: iso(at) })),
    });

  test('count the events of the histories, each once however often it is listed', () => {
    const recent = new RecentEvents();
    const jobs = [job(2, now - 20_000, ['start', now - 19_000]), job(1, now - 30_000, ['dead', now - 15_000])];
    recent.add(jobs, false, now - 10_000);
    recent.add(
      [job(2, now - 20_000, ['start', now - 19_000], ['succeed', now - 12_000]), ...jobs.slice(1)],
      false,
      now,
    );
    expect(recent.totals(now, 60_000)).toEqual({ accept: 2, succeed: 1, retry: 0, dead: 1 });
    const { starts, counts } = recent.bins(now);
    expect(starts.at(-1)).toBe(now - binMs);
    expect(starts[0]).toBe(now - windowMs);
    expect(counts.accept.slice(-3)).toEqual([1, 1, 0]);
    expect(counts.succeed.slice(-3)).toEqual([0, 1, 0]);
  });

  test('leave out the stretch that still goes on, and what is older than the window', () => {
    const recent = new RecentEvents();
    recent.add([job(2, now + 4_000), job(1, now - windowMs - binMs)], false, now + 5_000);
    expect(recent.bins(now + 5_000).counts.accept.every((n) => n === 0)).toBe(true);
    expect(recent.bins(now + binMs).counts.accept.at(-1)).toBe(1);
  });

  test('say from when on none is known to be missing', () => {
    const recent = new RecentEvents();
    const first = [job(3, now - 1_000), job(2, now - 2_000)];
    expect(recent.wantsMore(first, now)).toBe(true);
    recent.add(first, true, now);
    expect([recent.isComplete(now), recent.completeSince]).toEqual([false, now - 2_000]);
    // The next list reaches back to one that is known: nothing is missing between them.
    recent.add([job(4, now + 1_000), job(3, now - 1_000)], true, now + 2_000);
    expect(recent.completeSince).toBe(now - 2_000);
    // This one does not.
    recent.add([job(9, now + 6_000), job(8, now + 5_000)], true, now + 7_000);
    expect(recent.completeSince).toBe(now + 5_000);
    expect(recent.isComplete(now + 5_000 + windowMs)).toBe(true);
  });
});

describe('a redrive of any size', () => {
  const through = async (
    answers: readonly Readonly<Record<string, unknown>>[],
    request: Parameters<typeof workThrough>[1],
  ) => {
    const sent: object[] = [];
    const totals = [];
    const call = async (body: object) => {
      sent.push(body);
      return bulkLike(answers[sent.length - 1]);
    };
    for await (const total of workThrough(call, request)) totals.push(total);
    return { sent, last: totals.at(-1), looks: totals.length };
  };

  test('goes from cursor to cursor and adds up', async () => {
    const { sent, last } = await through(
      [
        { examined: 100, moved: 98, skipped: [{ id: 'a', code: 'not-dead' }], stoppedBy: 'limit', cursor: 'c1' },
        { examined: 0, moved: 0, stoppedBy: 'time', cursor: 'c2' },
        { examined: 5, moved: 5 },
      ],
      { which: { filter: { reason: 'worker-lost' } }, dryRun: false, rate: 5, force: true },
    );
    const body = { filter: { reason: 'worker-lost' }, limit: 10, ratePerSecond: 5, force: true };
    expect(sent).toEqual([body, { ...body, cursor: 'c1' }, { ...body, cursor: 'c2' }]);
    expect(last).toEqual({ examined: 105, moved: 103, skipped: [{ id: 'a', code: 'not-dead' }], stoppedBy: 'end' });
  });

  test('takes ids in pieces of what one call takes', async () => {
    const ids = Array.from({ length: 201 }, (_, i) => someId(i));
    const { sent } = await through([], { which: { ids }, dryRun: true });
    expect(sent).toEqual([
      { ids: ids.slice(0, 100), limit: 100, dryRun: true },
      { ids: ids.slice(100, 200), limit: 100, dryRun: true },
      { ids: ids.slice(200), limit: 100, dryRun: true },
    ]);
  });

  test.for(['full', 'closed'])('stops when the API stops by %s', async (stoppedBy) => {
    const { last, looks } = await through([{ stoppedBy, cursor: 'c' }], { which: { all: true }, dryRun: false });
    expect([last?.stoppedBy, looks]).toEqual([stoppedBy, 1]);
  });

  test('gives up when the API gets nowhere', async () => {
    const idle = { examined: 0, moved: 0, stoppedBy: 'time', cursor: 'c' };
    const { looks } = await through(new Array(50).fill(idle), { which: { all: true }, dryRun: false });
    expect(looks).toBe(20);
  });
});

describe('texts', () => {
  test('from outside stay on their line and keep their direction', () => {
    expect(plain('a\u202eb\u0007\n\u{e0001}')).toBe('a\\u{202e}b\\u{7}\\n\\u{e0001}');
    expect(plain(undefined)).toBe('');
    expect(jsonText({ a: 'x\u202e' })).toBe('{\n  "a": "x\\u{202e}"\n}');
  });

  test('durations in their largest unit', () => {
    expect([0, 250, 1_500, 59_999, 61_000, 7_300_000, 90_000_000].map(span)).toEqual([
      '0 ms',
      '250 ms',
      '1.5 s',
      '59 s',
      '1 min',
      '2 h',
      '1 d',
    ]);
    expect([since(iso(now - 90_000), now), since(iso(now + 90_000), now), since(iso(now), now)]).toEqual([
      '1 min ago',
      'in 1 min',
      'now',
    ]);
    expect(since('never', now)).toBe('never');
  });
});
