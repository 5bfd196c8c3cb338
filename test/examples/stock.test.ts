import { beforeAll, describe, expect } from 'vitest';
import { eventually } from '#test/support/system/eventually.ts';
import { deployExample, type Example } from '#test/support/system/example.ts';
import { test } from '#test/support/system/own.ts';
import { expectProblem } from '#test/support/system/problem.ts';
import { peek, sendRaw } from '#test/support/system/stack.ts';

const stackName = 'stock-example';
let stock: Example;
beforeAll(async () => {
  stock = await deployExample('examples/stock/app.ts', stackName);
}, 120_000);

const free = async (article: string) => (await stock.item(stock.output('StockTableName'), { article }))?.['free'];
const reserved = async (order: string, article: string) =>
  (await stock.item(stock.output('ReservationsTableName'), { order, article }))?.['pieces'];

/** Puts pieces of an article on the shelf. */
const fill = (article: string, pieces: number) =>
  stock.putItem(stock.output('StockTableName'), { article, free: pieces });

const jobIn = (id: string, state: string) =>
  eventually(async () => {
    const { body } = await stock.api.job(id);
    expect(body).toMatchObject({ id, state });
    return body;
  });

const consumerIs = (state: 'running' | 'paused') =>
  eventually(async () => expect((await stock.api.setConsumer(state)).body.consumer).toBe(state));

describe('the example app, with a job type of its own', () => {
  test('G3: its effect lands once, though submitted twice and delivered three times', async ({ own }) => {
    const payload = { order: own.key().replace('.', '-'), article: own.account(), pieces: 3 };
    await fill(payload.article, 10);

    await consumerIs('paused');
    const accepted = await stock.api.submit(own.key(), 'stock.reserve', payload);
    const again = await stock.api.submit(own.key(), 'stock.reserve', payload);
    expect([accepted.status, again.status, again.body.id]).toEqual([202, 200, accepted.body.id]);
    const queue = stock.output('QueueUrl');
    const [message] = await peek(queue).then((all) => all.filter(({ body }) => body.includes(accepted.body.id)));
    expect(message).toBeDefined();
    for (let copies = 0; copies < 2; copies++) await sendRaw(message?.body ?? '', { to: queue });
    await consumerIs('running');

    expect(await jobIn(accepted.body.id, 'succeeded')).toMatchObject({ starts: 1, result: { reserved: 3 } });
    await eventually(async () => expect(await peek(queue)).toEqual([]));
    expect([await free(payload.article), await reserved(payload.order, payload.article)]).toEqual([7, 3]);
  });

  test('where too few are left it is dead with nothing changed, and a redrive does it once there are enough', async ({
    own,
  }) => {
    const payload = { order: own.key().replace('.', '-'), article: own.account(), pieces: 3 };
    await fill(payload.article, 2);
    const { body } = await stock.api.submit(own.key(), 'stock.reserve', payload);
    expect(await jobIn(body.id, 'dead')).toMatchObject({ reason: { code: 'permanent-error' } });
    expect([await free(payload.article), await reserved(payload.order, payload.article)]).toEqual([2, undefined]);

    await fill(payload.article, 10);
    expect((await stock.api.redrive({ ids: [body.id] })).body).toMatchObject({ moved: 1 });
    expect(await jobIn(body.id, 'succeeded')).toMatchObject({ redrives: 1 });
    expect([await free(payload.article), await reserved(payload.order, payload.article)]).toEqual([7, 3]);
  });

  test('its schema and its registry decide what comes in: none of the sample jobs does', async ({ own }) => {
    const payload = { order: 'o-1', article: own.account(), pieces: 0 };
    expectProblem(await stock.api.submit(own.key(1), 'stock.reserve', payload), 400, 'invalid-request');
    const credit = { account: own.account(), amount: 1 };
    expectProblem(await stock.api.submit(own.key(2), 'ledger.credit', credit), 400, 'unknown-job-type');
  });
});
