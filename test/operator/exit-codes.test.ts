import { describe, expect, test } from 'vitest';
import { bulkLike, jobLike, someId, statusLike } from './support/answers.ts';
import { fakeApi, problem, type Reply } from './support/fake-api.ts';
import { sluiceAt } from './support/sluice.ts';

const id = someId(1);
const other = someId(2);

describe('what the API answered becomes an exit code', () => {
  test.for([
    ['status', { body: statusLike() }, 0],
    [`job show ${id}`, { body: jobLike() }, 0],
    [`job show ${id}`, problem(404, 'job-not-found'), 1],
    ['job list', { body: { jobs: [] } }, 0],
    ['job submit ledger.credit {} --key k-1', { status: 202, body: jobLike({ state: 'queued' }) }, 0],
    ['job submit ledger.credit {} --key k-1', problem(429, 'queue-full', { 'retry-after': '3' }), 1],
    ['job submit ledger.credit {} --key k-1', problem(503, 'intake-closed'), 1],
    ['job submit ledger.credit {} --key k-1', problem(422, 'idempotency-conflict'), 1],
    [`job cancel ${id}`, { body: jobLike({ state: 'cancelled' }) }, 0],
    [`job cancel ${id}`, { status: 202, body: jobLike({ state: 'running', cancelRequested: true }) }, 3],
    [`job cancel ${id}`, problem(409, 'not-in-flight'), 1],
    [`job cancel ${id} ${other}`, problem(409, 'not-in-flight'), 1],
    [`job wait ${id}`, { body: jobLike() }, 0],
    [`job wait ${id}`, { body: jobLike({ state: 'dead', reason: { code: 'worker-lost', message: '' } }) }, 1],
    [`job wait ${id} --timeout 0`, { body: jobLike({ state: 'running' }) }, 3],
    [`dead show ${id}`, { body: jobLike({ state: 'dead' }) }, 0],
    [`dead show ${id}`, { body: jobLike() }, 1],
    [`dead show stray-${id}`, { body: { jobs: [] } }, 1],
    [`dead redrive ${id}`, { body: bulkLike() }, 0],
    [`dead redrive ${id}`, { body: bulkLike({ moved: 0, skipped: [{ id, code: 'not-dead' }] }) }, 3],
    ['dead redrive --all --yes', { body: bulkLike({ stoppedBy: 'full', cursor: 'c' }) }, 3],
    ['dead redrive --all --yes', { body: bulkLike({ examined: 0, moved: 0, stoppedBy: 'closed', cursor: 'c' }) }, 3],
    ['dead redrive --all --yes --limit 1', { body: bulkLike({ stoppedBy: 'limit', cursor: 'c' }) }, 3],
    ['dead discard --all --dry-run', { body: bulkLike({ dryRun: true }) }, 0],
    ['intake close --yes', { body: statusLike({ intake: 'closed' }) }, 0],
    ['intake close --yes', { body: statusLike() }, 3],
    ['intake drain --yes', { body: statusLike({ intake: 'drained', drain: { left: 0 } }) }, 0],
    ['intake drain --yes', { body: statusLike({ intake: 'closed', drain: { left: 2 } }) }, 3],
    ['intake drain --yes --timeout 9', { body: statusLike({ intake: 'draining', drain: { left: 2 } }) }, 3],
    ['intake drain --yes --no-wait', { body: statusLike({ intake: 'draining', drain: { left: 2 } }) }, 0],
    ['consumer pause', { body: statusLike({ consumer: 'paused' }) }, 0],
    ['consumer pause', { body: statusLike({ consumer: 'pausing' }) }, 3],
    ['consumer pause --no-wait', { body: statusLike({ consumer: 'pausing' }) }, 0],
    ['capacity show', { body: statusLike() }, 0],
    ['capacity set 100', { body: statusLike() }, 0],
    ['capacity set 200', { body: statusLike() }, 3],
    ['capacity set 99', { body: statusLike() }, 2],
    ['watch --count 3', { body: statusLike() }, 0],
    ['watch --count 3', problem(403, 'forbidden'), 1],
    ['status', problem(403, 'caller-unknown'), 1],
    ['status', { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' }, 1],
    ['status', { body: { hello: 'world' } }, 1],
    ['status', { status: 403, body: { message: 'Missing Authentication Token' } }, 1],
    ['status', { status: 302, headers: { location: 'https://example.com/' }, body: {} }, 1],
  ] as const satisfies readonly (readonly [string, Reply, number])[])(
    'sluice %s, %j: %i',
    async ([line, reply, code]) => {
      const api = await fakeApi(() => reply);
      const outcome = await sluiceAt(api)(line);
      expect({ ...outcome, code: outcome.code }).toMatchObject({ code });
      expect(api.calls.length).toBeGreaterThan(0);
      // What failed says why on the notes, and leaves the data alone.
      if (code === 1) expect(outcome.notes).not.toEqual([]);
    },
  );

  test('of several jobs, some cancelled, is 3, and each is tried', async () => {
    const api = await fakeApi(({ path }) =>
      path.includes(other) ? problem(409, 'not-in-flight') : { body: jobLike({ state: 'cancelled' }) },
    );
    const outcome = await sluiceAt(api)(`job cancel ${other} ${id}`);
    expect(outcome).toMatchObject({ code: 3, out: [`${id}  cancelled`] });
    expect(api.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST /operator/jobs/${other}/cancel`,
      `POST /operator/jobs/${id}/cancel`,
    ]);
  });
});

describe('what may pass is tried again', () => {
  test.for(['unavailable', 'rate-limited'])('%s, with the same key, and as late as it is told', async (code) => {
    const api = await fakeApi((_, calls) =>
      calls.length < 3
        ? problem(code === 'unavailable' ? 503 : 429, code, { 'retry-after': '7' })
        : { status: 202, body: jobLike() },
    );
    const outcome = await sluiceAt(api)('job submit ledger.credit {} --key k-1');
    expect(outcome.code).toBe(0);
    expect(outcome.notes.filter((note) => note.includes('trying again in 7 s'))).toHaveLength(2);
    expect(api.calls.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', 'k-1', 'k-1']);
  });

  test('but not for ever', async () => {
    const api = await fakeApi(() => problem(503, 'unavailable'));
    expect(await sluiceAt(api)('status')).toMatchObject({ code: 1, out: [] });
    expect(api.calls).toHaveLength(3);
  });

  test('a watch outlives a look that fails', async () => {
    const api = await fakeApi((_, calls) => (calls.length === 2 ? problem(500, 'internal') : { body: statusLike() }));
    const outcome = await sluiceAt(api)('watch --count 3');
    expect(outcome).toMatchObject({ code: 0, notes: ['told to answer internal'] });
    expect(outcome.out).toHaveLength(2);
  });
});
