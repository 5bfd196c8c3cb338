import { strayId } from '#core/identity.ts';
import { until } from '../../localstack/demo/stage.ts';
import { defineDrill } from './support/drill.ts';
import { effect, reasonCode, tally } from './support/texts.ts';

const jobs = 6;
const unreadable = 'this is no message of ours';

/** Bodies that belong to no job, one for each reason that there is. `of` is a real job, which the forged one names. */
const illegalBodies = (of: { id: string }): readonly string[] => {
  const fingerprint = 'f'.repeat(64);
  return [
    unreadable,
    JSON.stringify({ v: 99, id: of.id, fingerprint, tenure: 0 }),
    JSON.stringify({ v: 1, id: '0'.repeat(32), fingerprint, tenure: 0 }),
    JSON.stringify({ v: 1, id: of.id, fingerprint, tenure: 0 }),
  ];
};

const reasons = 'forged × 1, unknown-job × 1, unknown-version × 1, unreadable × 1';

/** Messages that are not ours lie among real ones: they are listed and kept, and hold nothing up. */
export const illegalMessage = defineDrill({
  name: 'illegal-message',
  title: 'illegal messages in the queue',
  site: 'shared',
  quick: true,
  expected: {
    'jobs beside them': `succeeded × ${jobs}`,
    'effects beside them': `${jobs} in ${jobs} writes`,
    'a job accepted afterwards': 'succeeded',
    'strays listed': reasons,
    'log lines': reasons,
    metrics: reasons,
    'unreadable body in the dead-letter queue': 'unchanged, once',
  },
  run: async (bench) => {
    const { system } = bench;
    const since = Date.now();
    const account = bench.account();
    await system.setConsumer('paused');
    const accepted = await Promise.all(
      Array.from({ length: jobs }, (_, i) => system.accepted(bench.key(i), 'ledger.credit', { account, amount: 1 })),
    );
    const [first] = accepted;
    if (first === undefined) throw new Error('no job was accepted');
    bench.fault(`four illegal messages among those of ${jobs} jobs`);
    const messageIds = await Promise.all(illegalBodies(first).map((body) => system.sendRaw(body)));
    const strays = messageIds.map(strayId);
    await bench.look('during');
    await system.setConsumer('running');
    const done = await Promise.all(accepted.map(({ id }) => system.reaches(id, 'succeeded')));
    const listed = await until(
      'the strays listed',
      20,
      async () => (await system.dead()).filter(({ id }) => strays.includes(id)),
      (found) => found.length >= strays.length,
    );
    const later = await system.accepted(bench.key('later'), 'ledger.credit', {
      account: bench.account('later'),
      amount: 1,
    });
    const afterwards = await system.reaches(later.id, 'succeeded');
    const ours = (line: Record<string, unknown>) =>
      strays.includes(String((line['detail'] as { stray?: string })?.stray));
    const log = await until(
      'the log lines',
      20,
      () => system.consumerLog(since),
      (lines) => lines.filter(ours).length >= strays.length,
    );
    const buried = (await system.peek(system.outputs.deadLetterQueueUrl)).filter(({ body }) => body === unreadable);
    return {
      'jobs beside them': tally(done.map((job) => job.state)),
      'effects beside them': effect(await system.ledger(account)),
      'a job accepted afterwards': afterwards.state,
      'strays listed': tally(listed.map(reasonCode)),
      'log lines': tally(log.filter(ours).map((line) => String(line['code']))),
      // Metrics carry no stray's id, so those of this drill are told by its time; nothing else drills meanwhile.
      metrics: tally(log.filter((line) => 'Strays' in line).map((line) => String(line['reason']))),
      'unreadable body in the dead-letter queue': buried.length === 1 ? 'unchanged, once' : `${buried.length} times`,
    };
  },
});
