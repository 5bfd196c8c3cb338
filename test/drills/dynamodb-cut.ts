import { localLimits } from '#core/limits.ts';
import { until } from '../../localstack/demo/stage.ts';
import { defineDrill } from './support/drill.ts';
import { effect, refusal, tally } from './support/texts.ts';

const accepted = 3;
const refused = '503 unavailable, Retry-After 2';
const ownTime = `within the ${localLimits.apiTimeoutSeconds} s of the function`;

/** DynamoDB cannot be reached: nothing is accepted, nothing starts, and all that was accepted is done afterwards. */
export const dynamodbCut = defineDrill({
  name: 'dynamodb-cut',
  title: 'the connection to DynamoDB is cut and restored',
  site: 'relayed',
  quick: false,
  expected: {
    'POST while it is silent': refused,
    'GET while it is silent': refused,
    'these answers came': ownTime,
    'POST while it refuses': refused,
    'after reconnecting, the refused keys': '202 × 2',
    'all jobs': `succeeded, starts 1 × ${accepted + 2}`,
    effects: `${accepted + 2} in ${accepted + 2} writes`,
    'jobs marked stale': '0',
  },
  run: async (bench) => {
    const { system, site } = bench;
    const payload = { account: bench.account(), amount: 1 };
    const submit = (name: string | number) => system.submit(bench.key(name), 'ledger.credit', payload);
    await system.setConsumer('paused');
    const before = await Promise.all(
      Array.from({ length: accepted }, (_, i) => system.accepted(bench.key(i), 'ledger.credit', payload)),
    );
    bench.fault('DynamoDB falls silent: connections are taken, nothing is answered');
    await site.dynamodb.cut('silent');
    const from = Date.now();
    const [post, get] = await Promise.all([
      submit('silent'),
      system.call<never>('GET', `/jobs/${before[0]?.id}`),
      bench.look('during'),
    ]);
    const seconds = (Date.now() - from) / 1_000;
    bench.note(`the answers took ${seconds.toFixed(1)} s: the SDK's own time-outs and tries`);
    bench.fault('DynamoDB refuses connections, while the consumer gets the messages of the accepted jobs');
    await site.dynamodb.cut('refused');
    await system.setConsumer('running');
    const postRefused = await submit('refused');
    await until(
      'the messages received in vain',
      20,
      () => system.peek(system.outputs.queueUrl),
      (messages) => messages.length === accepted && messages.every((message) => message.receiveCount > 0),
    );
    await bench.look('during');
    bench.fault('DynamoDB is back');
    await site.dynamodb.restore();
    const again = await Promise.all([submit('silent'), submit('refused')]);
    const ids = [...before, ...again.map(({ body }) => body)].map(({ id }) => id);
    const done = await Promise.all(ids.map((id) => system.reaches(id, 'succeeded')));
    return {
      'POST while it is silent': refusal(post),
      'GET while it is silent': refusal(get),
      'these answers came': seconds < localLimits.apiTimeoutSeconds ? ownTime : `after ${seconds.toFixed(1)} s`,
      'POST while it refuses': refusal(postRefused),
      'after reconnecting, the refused keys': tally(again.map(({ status }) => status)),
      'all jobs': tally(done.map((job) => `${job.state}, starts ${job.starts}`)),
      effects: effect(await system.ledger(payload.account)),
      'jobs marked stale': String(done.filter((job) => job.stale).length),
    };
  },
});
