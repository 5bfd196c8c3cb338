import { afterEach, beforeAll, describe, expect } from 'vitest';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import { expectFieldProblem, expectProblem } from '#test/support/system/problem.ts';
import {
  api,
  jobIn,
  ledger,
  pauseConsumer,
  reconcile,
  reset,
  resumeConsumer,
  settled,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const intake = (body: object) => api.call('POST', '/operator/intake', body);

/** A raised or opened registry may show a second late, so a submission is repeated as its refusal says. */
const accepted = (key: string, account: string) =>
  eventually(async () => {
    const answer = await api.submit(key, 'ledger.credit', { account, amount: 1 });
    expect([200, 202]).toContain(answer.status);
    return answer;
  });

afterEach(async () => {
  await resumeConsumer();
  await intake({ state: 'open' });
});

describe('POST /operator/intake', () => {
  test('G9: after close has answered nothing is admitted, replays are answered, redrives refused; open undoes it', async ({
    own,
  }) => {
    const known = await accepted(own.key('known'), own.account());
    const payload = { account: own.account(), amount: 1, permanent: true };
    const dead = (await api.submit(own.key('dead'), 'test.scripted', payload)).body;
    await jobIn(dead.id, 'dead');

    const closed = await intake({ state: 'closed' });
    expect([closed.status, closed.body.intake]).toEqual([200, 'closed']);
    const refused = await api.submit(own.key('late'), 'ledger.credit', { account: own.account(), amount: 1 });
    expectProblem(refused, 503, 'intake-closed');
    expect(refused.headers.get('retry-after')).toBe('60');
    const replay = await api.submit(own.key('known'), 'ledger.credit', { account: own.account(), amount: 1 });
    expect([replay.status, replay.body.id]).toEqual([200, known.body.id]);
    const redrive = await api.call('POST', '/operator/dead/redrive', { ids: [dead.id] });
    expect(redrive.body).toMatchObject({ moved: 0, stoppedBy: 'closed' });

    expect((await intake({ state: 'open' })).body.intake).toBe('open');
    expect((await accepted(own.key('late'), own.account())).status).toBe(202);
  });

  test('G9: a burst under a close: what was accepted came before its answer', async ({ own }) => {
    const burst = Array.from({ length: 40 }, async (_, i) => {
      const answer = await api.submit(own.key(i), 'ledger.credit', { account: own.account(), amount: 1 });
      return { answer, at: Date.now() };
    });
    const closedAt = intake({ state: 'closed' }).then(() => Date.now());
    const [answers, end] = await Promise.all([Promise.all(burst), closedAt]);
    const after = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        api.submit(own.key(`after-${i}`), 'ledger.credit', { account: own.account(), amount: 1 }),
      ),
    );
    expect(after.map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 503));
    expect(end).toBeGreaterThan(0);
    await settled();
    const taken = answers.filter(({ answer }) => answer.status === 202).length;
    expect((await ledger(own.account()))?.writes ?? 0).toBe(taken);
  });

  test('drain waits for what is in flight and is drained at the second clean look, after the last acknowledgement', async ({
    own,
  }) => {
    const { id } = (await accepted(own.key(), own.account())).body;
    const answer = await intake({ state: 'closed', mode: 'drain' });
    expect(answer.body).toMatchObject({ intake: 'draining', drain: { until: expect.any(String) } });
    await jobIn(id, 'succeeded');
    await settled();
    await eventually(async () => {
      await reconcile();
      expect((await api.status()).body.intake).toBe('drained');
    });
    expect((await api.status()).body).toMatchObject({
      inFlight: { total: 0 },
      backlog: { notVisible: 0 },
      drain: { left: 0 },
    });
    expectProblem(
      await api.submit(own.key('late'), 'ledger.credit', { account: 'x', amount: 1 }),
      503,
      'intake-closed',
    );
  });

  test('a paused consumer makes a drain say so', async ({ own }) => {
    await pauseConsumer();
    await accepted(own.key(), own.account());
    await intake({ state: 'closed', mode: 'drain' });
    const report = await reconcile();
    expect(report.drain).toMatchObject({ intake: 'draining', left: 1 });
    expect((await api.status()).body.drain).toMatchObject({ left: 1, waitingFor: 'consumer-paused' });
  });

  test('mode cancel ends what has not passed its last checkpoint', async ({ own }) => {
    await settled();
    await pauseConsumer();
    const ids = await Promise.all([1, 2, 3].map(async (i) => (await accepted(own.key(i), own.account())).body.id));
    const answer = await intake({ state: 'closed', mode: 'cancel' });
    expect(answer.body).toMatchObject({ intake: 'draining', inFlight: { total: 0 } });
    for (const id of ids) await jobIn(id, 'cancelled');
    expect(await ledger(own.account())).toBeUndefined();
    // Their messages are leftovers: visible, not being worked on, and reported.
    await reconcile();
    const report = await reconcile();
    expect(report.drain).toMatchObject({ intake: 'drained', left: 0, leftovers: 3 });
  });

  test('bad input', async () => {
    expectFieldProblem(await intake({ state: 'shut' }), ['/state']);
    expectFieldProblem(await intake({ state: 'open', mode: 'drain' }), ['']);
    expectFieldProblem(await intake({ state: 'closed', mode: 'now' }), ['/mode']);
  });
});
