import { randomBytes } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { emulatorCredentials } from '../../localstack/places.ts';
import type { Bench } from './support/bench.ts';
import { defineDrill } from './support/drill.ts';
import { tally } from './support/texts.ts';

const poison = 3;
const attemptsMax = 3;
/** Without this the variant would never end. */
const stormCallsMax = 300;

/** Work that can never succeed, with and without a cap on the attempts and a wait between them. */
export const retryStorm = defineDrill({
  name: 'retry-storm',
  title: 'jobs that always fail; a consumer without a cap beside ours',
  site: 'shared',
  quick: true,
  expected: {
    'without a cap: calls, receives': `${stormCallsMax}, ${stormCallsMax}: ended by the drill's bound alone`,
    'without a cap: messages still in the queue': String(poison),
    'ours: calls, receives': `${poison * attemptsMax}, ${poison * attemptsMax}: ended by itself`,
    'ours: jobs': `dead (attempts-exhausted) × ${poison}`,
    'ours: messages still in the queue': '0',
  },
  run: async (bench) => ({ ...(await withoutCap(bench)), ...(await ours(bench)) }),
});

/** The broken variant, on a queue of its own without a dead-letter queue: what failed is tried again, at once, for ever. */
const withoutCap = async (bench: Bench) => {
  const { endpointUrl: endpoint, region } = bench.system.outputs;
  const sqs = new SQSClient({ endpoint, region, credentials: emulatorCredentials });
  const name = `drill-storm-${randomBytes(4).toString('hex')}`;
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  try {
    for (let i = 0; i < poison; i += 1)
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: `poison ${i}` }));
    bench.fault(`without a cap: ${poison} messages that always fail, and a consumer that never gives up`);
    const from = Date.now();
    let calls = 0;
    let receives = 0;
    const handler = () => {
      calls += 1;
      throw new Error('told to fail');
    };
    while (receives < stormCallsMax) {
      const left = Math.min(10, stormCallsMax - receives);
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: left }));
      for (const { ReceiptHandle } of Messages) {
        receives += 1;
        try {
          handler();
        } catch {
          await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
        }
      }
    }
    const seconds = (Date.now() - from) / 1_000;
    bench.note(`without a cap: ${Math.round(calls / seconds)} calls a second for as long as it is let`);
    const left = (await bench.system.peek(QueueUrl ?? '')).length;
    return {
      'without a cap: calls, receives': `${calls}, ${receives}: ended by the drill's bound alone`,
      'without a cap: messages still in the queue': String(left),
    };
  } finally {
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  }
};

/** The same jobs on the deployed consumer. */
const ours = async (bench: Bench) => {
  const { system } = bench;
  const payload = { account: bench.account(), amount: 99, failBefore: 99 };
  bench.fault(`ours: ${poison} jobs that always fail`);
  const from = Date.now();
  const jobs = await Promise.all(
    Array.from({ length: poison }, (_, i) => system.accepted(bench.key(i), 'test.scripted', payload)),
  );
  await Promise.all(jobs.map(({ id }) => system.reaches(id, 'retrying')));
  await bench.look('during');
  const dead = await Promise.all(jobs.map(({ id }) => system.reaches(id, 'dead')));
  await system.statusFits('no slot taken', (status) => status.inFlight.total === 0);
  const starts = dead.reduce((sum, job) => sum + job.starts, 0);
  bench.note(`ours: ${starts} calls in ${((Date.now() - from) / 1_000).toFixed(1)} s, then none`);
  const ids = dead.map((job) => job.id);
  const ofOurs = ({ body }: { body: string }) => ids.some((id) => body.includes(id));
  const buried = (await system.peek(system.outputs.deadLetterQueueUrl)).filter(ofOurs);
  const receives = buried.reduce((sum, message) => sum + message.receiveCount, 0);
  const left = (await system.peek(system.outputs.queueUrl)).filter(ofOurs);
  return {
    'ours: calls, receives': `${starts}, ${receives}: ended by itself`,
    'ours: jobs': tally(dead.map((job) => `${job.state} (${typeof job.reason === 'object' ? job.reason.code : ''})`)),
    'ours: messages still in the queue': String(left.length),
  };
};
