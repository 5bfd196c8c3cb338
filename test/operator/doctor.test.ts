import { describe, expect, test } from 'vitest';
import type { Check } from '../../operator/cli/doctor/check.ts';
import { bulkLike, statusLike } from './support/answers.ts';
import { type Call, fakeApi, problem, type Reply } from './support/fake-api.ts';
import { noon, sluice, sluiceAt } from './support/sluice.ts';

const date = (ms: number) => ({ date: new Date(ms).toUTCString() });

/** A system in good order, but for what a test replies to some paths. */
const system = (differs: (call: Call) => Reply | undefined = () => undefined) =>
  fakeApi((call) => {
    const usual = (): Reply => {
      if (call.path === '/operator/status') return { body: statusLike() };
      if (call.path === '/operator/dead/redrive') return { body: bulkLike({ dryRun: true }) };
      return call.method === 'POST' ? problem(400, 'missing-idempotency-key') : { body: { jobs: [] } };
    };
    const reply = differs(call) ?? usual();
    return { ...reply, headers: { ...date(noon), ...reply.headers } };
  });

const doctor = async (api: { readonly url: string }) => {
  const { code, out } = await sluiceAt(api)('doctor --json');
  const { checks } = JSON.parse(out[0] ?? '') as { checks: Check[] };
  const odd = checks.filter(({ result }) => result === 'warn' || result === 'fail');
  return { code, checks, odd: odd.map(({ name, result }) => `${name}: ${result}`), fixes: odd.map(({ fix }) => fix) };
};

describe('the doctor', () => {
  test('finds a system in good order well, and changes nothing in it', async () => {
    const api = await system();
    expect(await doctor(api)).toMatchObject({ code: 0, odd: [] });
    const posts = api.calls.filter(({ method }) => method === 'POST');
    expect(posts.map(({ path, body, headers }) => [path, body, headers['idempotency-key']])).toEqual([
      ['/jobs', {}, undefined],
      ['/operator/dead/redrive', { all: true, limit: 1, dryRun: true }, undefined],
    ]);
  });

  test('says what it cannot see', async () => {
    const { checks } = await doctor(await system());
    expect(checks.filter(({ result }) => result === 'unseen').map(({ name }) => name)).toEqual([
      'settings of queues, tables and mapping',
      'reconciler',
    ]);
  });

  test.for([
    [0, []],
    [29, []],
    [-29, []],
    [32, ['clock: warn']],
    [-31, ['clock: warn']],
    [242, ['clock: fail']],
    [-241, ['clock: fail']],
  ] as const)('sees a clock that is %i s off', async ([seconds, odd]) => {
    const api = await system((call) =>
      call.path === '/operator/status' ? { body: statusLike(), headers: date(noon - seconds * 1000) } : undefined,
    );
    expect(await doctor(api)).toMatchObject({ code: odd[0] === 'clock: fail' ? 1 : 0, odd });
  });

  test.for([
    [statusLike({ intake: 'closed' }), ['intake: warn']],
    [
      statusLike({ intake: 'draining', drain: { left: 1, waitingFor: 'consumer-paused' }, consumer: 'paused' }),
      ['intake: fail', 'consumer: warn'],
    ],
    [statusLike({ inFlight: { total: 100, queued: 100, running: 0, retrying: 0 } }), ['slots: warn']],
    [statusLike({ inFlight: { total: 40, queued: 1, running: 0, retrying: 0 } }), ['slots: warn']],
    [statusLike({ backlog: { visible: 90, notVisible: 10, delayed: 1 } }), ['queue: fail']],
    [statusLike({ backlog: { visible: 50, notVisible: 0, delayed: 0 } }), ['queue: warn']],
    [statusLike({ dead: 3 }), ['dead: warn']],
  ] as const)('reads the condition from the status: %j', async ([body, odd]) => {
    const found = await doctor(await system(({ path }) => (path === '/operator/status' ? { body } : undefined)));
    expect(found).toMatchObject({ code: odd.some((name) => name.endsWith('fail')) ? 1 : 0, odd });
    expect(found.fixes.every((fix) => fix !== undefined && fix !== '')).toBe(true);
  });

  test('tells a submitter from an operator', async () => {
    const api = await system(({ path }) => (path.startsWith('/operator') ? problem(403, 'forbidden') : undefined));
    const { code, odd } = await doctor(api);
    expect({ code, odd }).toEqual({
      code: 1,
      odd: ['right to see as operator: warn', 'right to change as operator: warn', 'status: fail'],
    });
  });

  test.for([
    ['caller-unknown', problem(403, 'caller-unknown')],
    ['another API', { status: 403, body: { message: 'Missing Authentication Token' } }],
    ['a failing one', problem(503, 'unavailable')],
  ] as const)('fails with %s', async ([, reply]) => {
    const { code, odd } = await doctor(await system(() => reply));
    expect(code).toBe(1);
    expect(odd).toContain('right to submit: fail');
  });

  test('stops where nothing answers, and where nothing is configured', async () => {
    expect(await doctor({ url: 'http://127.0.0.1:9/v1' })).toMatchObject({ code: 1, odd: ['reachable: fail'] });
    const { code, out } = await sluice(['doctor']);
    expect({ code, first: out[0] }).toEqual({
      code: 1,
      first: expect.stringContaining('configuration: No API was named'),
    });
  });

  test('prints each check with its fix for people', async () => {
    const { out } = await sluiceAt(
      await system(({ path }) => (path === '/operator/status' ? { body: statusLike({ dead: 3 }) } : undefined)),
    )('doctor');
    const at = out.findIndex((line) => line.startsWith('warn    dead: 3'));
    expect(out[at + 1]).toMatch(/^ {8}fix: .*sluice dead list/);
  });
});
