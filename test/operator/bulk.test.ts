import { describe, expect, test } from 'vitest';
import { bulkLike, someId } from './support/answers.ts';
import { type Call, fakeApi } from './support/fake-api.ts';
import { noon, sluiceAt } from './support/sluice.ts';

/** So many dead jobs, worked through as the API does: up to the limit of a call, then from the cursor on. */
const manyDead = (total: number) => (call: Call) => {
  const from = Number(call.body.cursor ?? 0);
  const all = call.body.ids?.length ?? total;
  const examined = Math.min(call.body.limit, all - from);
  const end = from + examined === all;
  const { dryRun = false } = call.body;
  return {
    body: bulkLike({
      examined,
      moved: examined,
      dryRun,
      ...(!end && { stoppedBy: 'limit', cursor: String(from + examined) }),
    }),
  };
};
const bodies = (calls: readonly Call[]) => calls.map(({ body }) => body);

describe('redrive and discard', () => {
  test('go from cursor to cursor until nothing is left', async () => {
    const api = await fakeApi(manyDead(250));
    const outcome = await sluiceAt(api)('dead redrive --all --yes --force');
    expect(outcome).toMatchObject({ code: 0, out: ['250 redriven, 0 skipped, 250 looked at'] });
    expect(outcome.notes).toEqual(['100 looked at', '200 looked at', '250 looked at']);
    // What dies again behind its back is not met once more.
    const common = { filter: { before: new Date(noon).toISOString() }, force: true, limit: 100 };
    expect(bodies(api.calls)).toEqual([common, { ...common, cursor: '100' }, { ...common, cursor: '200' }]);
  });

  test('discard what comes in meanwhile too, as nothing comes back', async () => {
    const api = await fakeApi(manyDead(2));
    await sluiceAt(api)('dead discard --all --yes');
    await sluiceAt(api)('dead discard --type t --yes');
    expect(bodies(api.calls)).toEqual([
      { all: true, limit: 100 },
      { filter: { type: 't' }, limit: 100 },
    ]);
  });

  test('split ids as the API takes them, each once', async () => {
    const ids = Array.from({ length: 150 }, (_, i) => someId(i));
    const api = await fakeApi(manyDead(0));
    const outcome = await sluiceAt(api)(['dead', 'discard', ...ids, ...ids]);
    expect(outcome).toMatchObject({ code: 0, out: ['150 discarded, 0 skipped, 150 looked at'] });
    expect(bodies(api.calls)).toEqual([
      { ids: ids.slice(0, 100), limit: 100 },
      { ids: ids.slice(100), limit: 100 },
    ]);
  });

  test('look at --limit at most', async () => {
    const api = await fakeApi(manyDead(250));
    const outcome = await sluiceAt(api)('dead redrive --all --yes --limit 120');
    expect(outcome).toMatchObject({ code: 3, out: ['120 redriven, 0 skipped, 120 looked at'] });
    expect(bodies(api.calls).map(({ limit }) => limit)).toEqual([100, 20]);
  });

  test('that reach --limit with the last one are done', async () => {
    const api = await fakeApi(manyDead(120));
    expect(await sluiceAt(api)('dead redrive --all --yes --limit 120')).toMatchObject({ code: 0 });
  });

  test('with a rate take small pieces, so that progress is seen', async () => {
    const api = await fakeApi(manyDead(12));
    await sluiceAt(api)('dead redrive --all --yes --rate 1');
    expect(bodies(api.calls).map(({ limit, ratePerSecond }) => [limit, ratePerSecond])).toEqual([
      [5, 1],
      [5, 1],
      [5, 1],
    ]);
  });

  test('pass filters on, times as ISO', async () => {
    const api = await fakeApi(manyDead(1));
    await sluiceAt(api)(
      'dead redrive --reason worker-lost --type t --tenant a/b --after 2h --before 2026-01-31T12:30:00+01:00 --dry-run',
    );
    const filter = {
      reason: 'worker-lost',
      type: 't',
      tenant: 'a/b',
      after: '2026-01-31T10:00:00.000Z',
      before: '2026-01-31T11:30:00.000Z',
    };
    expect(bodies(api.calls)).toEqual([{ filter, limit: 100, dryRun: true }]);
  });

  test('stop at once when slots run out, and say what was left out', async () => {
    const skipped = [{ id: someId(7), code: 'queue-full' }];
    const api = await fakeApi(() => ({
      body: bulkLike({ examined: 3, moved: 2, skipped, stoppedBy: 'full', cursor: 'c' }),
    }));
    const outcome = await sluiceAt(api)('dead redrive --all --yes');
    expect(outcome).toMatchObject({ code: 3 });
    expect(outcome.out).toEqual([
      '2 redriven, 1 skipped, 3 looked at',
      'SKIPPED                           BECAUSE',
      `${someId(7)}  queue-full`,
    ]);
    expect(api.calls).toHaveLength(1);
  });

  test('give an API up that gets no further', async () => {
    const api = await fakeApi(() => ({ body: bulkLike({ examined: 0, moved: 0, stoppedBy: 'time', cursor: 'c' }) }));
    expect(await sluiceAt(api)('dead discard --all --yes')).toMatchObject({ code: 3 });
    expect(api.calls).toHaveLength(20);
  });
});

describe('a person at the terminal is asked', () => {
  test('with the number of a dry run, and yes goes on', async () => {
    const api = await fakeApi(manyDead(120));
    const outcome = await sluiceAt(api)('dead redrive --reason worker-lost', { terminal: true, answers: ['y'] });
    expect(outcome.notes).toEqual([
      'This will redrive what is dead with reason worker-lost. A dry run found 120. Go on? [y/N] ',
    ]);
    expect(outcome).toMatchObject({ code: 0, out: ['120 redriven, 0 skipped, 120 looked at'] });
    expect(bodies(api.calls).map(({ dryRun }) => dryRun === true)).toEqual([true, true, false, false]);
    expect(outcome.all).toContain('[####################----] 100 of 120 looked at');
  });

  test.for(['', 'n', 'yep', 'yes please'])('and %j changes nothing', async (answer) => {
    const api = await fakeApi(manyDead(1));
    for (const line of ['dead redrive --all', 'dead discard --all', 'intake close', 'intake drain']) {
      const { code, out } = await sluiceAt(api)(line, { terminal: true, answers: [answer] });
      expect({ code, out }).toEqual({ code: 1, out: [] });
    }
    expect(bodies(api.calls).every(({ dryRun }) => dryRun === true)).toBe(true);
  });

  test('but not for ids, dry runs and --yes', async () => {
    const api = await fakeApi(manyDead(1));
    for (const line of [`dead redrive ${someId(1)}`, 'dead discard --all --dry-run', 'dead discard --all --yes']) {
      const { code, notes } = await sluiceAt(api)(line, { terminal: true });
      expect({ code, notes }).toEqual({ code: 0, notes: [] });
    }
  });
});
