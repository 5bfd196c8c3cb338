import { beforeAll, expect } from 'vitest';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import { expectQueueFull } from '#test/support/system/problem.ts';
import { api, ledger, pauseConsumer, records, reset, resumeConsumer, settled } from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const jobs = 1_000;
const accounts = 4;
const clients = 16;

test('G1, G3: 1,000 jobs on 4 accounts by 16 clients that repeat after refusals, a third sent twice: the exact sums, nothing dead', async ({
  own,
}) => {
  const amountOf = (n: number) => 1 + (n % 7);
  const submit = (n: number) =>
    api.submit(own.key(n), 'ledger.credit', { account: own.account(n % accounts), amount: amountOf(n) });
  const seen = { accepted: 0, replayed: 0, refused: 0 };
  const ids = new Map<number, string>();

  const submitUntilTaken = (n: number) =>
    eventually(
      async () => {
        const answer = await submit(n);
        if (answer.status === 429) {
          seen.refused += 1;
          expectQueueFull(answer);
        }
        expect([200, 202]).toContain(answer.status);
        seen[answer.status === 202 ? 'accepted' : 'replayed'] += 1;
        expect(ids.get(n) ?? answer.body.id).toBe(answer.body.id);
        ids.set(n, answer.body.id);
      },
      { withinMs: 240_000, everyMs: 200 },
    );

  // Two clients may be at work on one job at the same time: the second of a pair follows at once on the first.
  const work = Array.from({ length: jobs }, (_, n) => (n % 3 === 0 ? [n, n] : [n]))
    .flat()
    .values();
  const client = async () => {
    for (const n of work) await submitUntilTaken(n);
  };
  // The consumer begins only when the clients have met the bound, so that every one of them has been refused.
  await pauseConsumer();
  const allTaken = Promise.all(Array.from({ length: clients }, client));
  await eventually(() => expect(seen.refused).toBeGreaterThan(clients), { withinMs: 60_000 });
  await resumeConsumer();
  await allTaken;
  await settled();

  expect(seen).toMatchObject({ accepted: jobs, replayed: Math.ceil(jobs / 3) });
  const ended = await records([...ids.values()]);
  expect(ended).toHaveLength(jobs);
  for (const job of ended) expect(job).toMatchObject({ state: 'succeeded', starts: 1 });
  for (let a = 0; a < accounts; a += 1) {
    const credited = [...ids.keys()].filter((n) => n % accounts === a);
    const total = credited.reduce((sum, n) => sum + amountOf(n), 0);
    expect(await ledger(own.account(a))).toEqual({ total, writes: credited.length });
  }
  // Four minutes on LocalStack, where one batch is at work at a time.
}, 480_000);
