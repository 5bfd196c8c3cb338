import { jobId } from '#core/identity.ts';
import { localLimits } from '#core/limits.ts';
import { until } from '../../localstack/demo/stage.ts';
import { defineDrill } from './support/drill.ts';
import type { SeenJob, System } from './support/system.ts';
import { effect, outcome, refusal, tally } from './support/texts.ts';

const refused = '503 unavailable, Retry-After 2';
const ownTime = `within the ${localLimits.apiTimeoutSeconds} s of the function`;
const { staleAfterSeconds } = localLimits;

/** SQS cannot be reached: the record is the outbox, the reconciler says that nothing moves, and every message goes later. */
export const sqsCut = defineDrill({
  name: 'sqs-cut',
  title: 'the connection to SQS is cut and restored',
  site: 'relayed',
  quick: false,
  expected: {
    'POST while it is silent': `${refused} × 2`,
    'these answers came': ownTime,
    'the same key while it refuses': refused,
    'jobs on record meanwhile': 'queued × 2',
    'marked stale': `both, no sooner than ${staleAfterSeconds} s after they were due`,
    'after reconnecting, the key repeated by its caller': '200 replayed',
    'the job of the key that nobody repeated': 'succeeded, starts 1',
    'the job that was to be retried meanwhile': 'succeeded, starts 2',
    'all effects': '3 in 3 writes',
    'jobs marked stale in the end': '0',
  },
  run: async (bench) => {
    const { system, site } = bench;
    const account = bench.account();
    const submit = (name: string) => system.submit(bench.key(name), 'ledger.credit', { account, amount: 1 });
    await system.setConsumer('paused');
    const retried = await system.accepted(bench.key('retried'), 'test.scripted', { account, amount: 1, failBefore: 1 });
    bench.fault('SQS falls silent: connections are taken, nothing is answered');
    await site.sqs.cut('silent');
    const from = Date.now();
    const posts = await Promise.all([submit('repeated'), submit('left')]);
    const seconds = (Date.now() - from) / 1_000;
    bench.note(`the answers took ${seconds.toFixed(1)} s: the SDK's own time-outs and tries`);
    bench.fault('SQS refuses connections, while the consumer runs a job that has to be retried');
    await site.sqs.cut('refused');
    await system.setConsumer('running');
    const postAgain = await submit('repeated');
    await system.reaches(retried.id, 'retrying');
    // A refusal names no job; its id follows from caller, type and key.
    const ids = ['repeated', 'left'].map((name) => jobId(retried.tenant, 'ledger.credit', bench.key(name)));
    const meanwhile = await Promise.all(ids.map((id) => system.job(id)));
    await bench.look('during');
    const marked = await Promise.all(
      ids.map((id) =>
        until(
          'the mark',
          30,
          () => reconciled(system, id),
          (job) => job.stale === true,
        ),
      ),
    );
    await bench.look('during');
    bench.fault('SQS is back');
    await site.sqs.restore();
    const replay = await submit('repeated');
    await system.reconcile();
    const left = ids.filter((id) => id !== replay.body.id);
    const done = await Promise.all(ids.map((id) => system.reaches(id, 'succeeded')));
    const retriedDone = await system.reaches(retried.id, 'succeeded');
    const sinceDue = marked.map((job) => (markedAt(job) - Date.parse(job.submittedAt)) / 1_000);
    const soonest = Math.min(...sinceDue);
    return {
      'POST while it is silent': tally(posts.map(refusal)),
      'these answers came': seconds < localLimits.apiTimeoutSeconds ? ownTime : `after ${seconds.toFixed(1)} s`,
      'the same key while it refuses': refusal(postAgain),
      'jobs on record meanwhile': tally(meanwhile.map((job) => job.state)),
      'marked stale':
        soonest >= staleAfterSeconds
          ? `both, no sooner than ${staleAfterSeconds} s after they were due`
          : `after ${soonest.toFixed(1)} s`,
      'after reconnecting, the key repeated by its caller': `${replay.status} ${replay.headers.get('idempotency-replayed') === 'true' ? 'replayed' : ''}`,
      'the job of the key that nobody repeated': done
        .flatMap((job) => (left.includes(job.id) ? [outcome(job)] : []))
        .join(),
      'the job that was to be retried meanwhile': outcome(retriedDone),
      'all effects': effect(await system.ledger(account)),
      'jobs marked stale in the end': String([...done, retriedDone].filter((job) => job.stale).length),
    };
  },
});

const reconciled = async (system: System, id: string): Promise<SeenJob> => {
  await system.reconcile();
  return system.job(id);
};

const markedAt = (job: SeenJob): number => Date.parse(job.history.find(({ event }) => event === 'stale')?.at ?? '');
