import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { counterNames } from '#core/evidence.ts';
import { witnessedLab } from '#test/support/faults/evidence.ts';
import { brokenConnection } from '#test/support/faults/fault.ts';
import { hangingDelivery, messageOf, without } from '#test/support/faults/histories.ts';
import { failing } from '#test/support/faults/in-lab.ts';
import type { Asked } from '#test/support/faults/lab.ts';
import { deliver } from '#test/support/faults/poller.ts';

/*
 * G10 over one history in which everything happens that is to leave evidence: each step leaves one log line with the
 * job's id and a stable code, and one metric; nothing of what callers, handlers or services say gets into either.
 */
const marks = {
  key: 'planted-raw-key',
  padding: 'planted-payload-text',
  service: 'planted-service-text',
  amount: 918273645,
};

type Witnessed = Awaited<ReturnType<typeof witnessedLab>>;
let witnessed: Witnessed;
const jobs: Record<string, Asked> = {};

/** Asks under a name, with a marked key and payload. */
const ask = (name: string, script: Parameters<Witnessed['lab']['request']>[0] = {}): Asked => {
  const { key, padding, amount } = marks;
  const asked = witnessed.lab.request({ key: `${key}-${name.replaceAll(' ', '-')}`, padding, amount, ...script });
  jobs[name] = asked;
  return asked;
};

const history = async ({ lab, invoke, request }: Witnessed): Promise<void> => {
  const { limits } = lab.world;
  const failure = () => Object.assign(brokenConnection(), { message: marks.service });
  const submit = (asked: Asked) => invoke(() => lab.submit(asked));
  const run = () => invoke(() => deliver(lab));
  const upkeep = () => {
    lab.clock.advance(limits.reconcilerPeriodSeconds);
    return invoke(() => lab.reconcile());
  };
  const lose = () => without(lab, /TransactWriteItems|consume \d+ › GetItem/, run);

  await lab.openForUse();
  const first = ask('retried', { failStarts: 1 });
  await submit(first);
  await submit(first);
  await submit(lab.sameKey(first));
  await submit(ask('refused'));
  await run();
  await run();

  const held = ask('taken over', { held: true });
  await submit(held);
  const late = await hangingDelivery(lab);
  await lab.sendRaw(messageOf(held));
  await run();
  lab.clock.advanceOverFrozen(limits.visibilitySeconds);
  await run();
  lab.gate.open();
  await invoke(async () => late?.done);
  await run();

  const doomed = ask('redriven', { failStarts: 3 });
  await submit(doomed);
  for (let attempt = 1; attempt <= 3; attempt += 1) await run();
  await run();
  await invoke(() => lab.redrive({ ids: [doomed.submission.id] }));
  await run();

  await submit(ask('expired', { options: { deadlineSeconds: 5 } }));
  lab.clock.advance(6);
  await upkeep();
  await run();

  await submit(ask('given up'));
  await lose();
  await upkeep();
  for (let attempt = 2; attempt <= 3; attempt += 1) {
    await lose();
    lab.clock.advance(limits.consumerTimeoutSeconds + limits.leaseGraceSeconds);
    await upkeep();
  }
  await run();

  const unwanted = ask('cancelled');
  await submit(unwanted);
  await invoke(() => lab.cancel(unwanted));
  await run();

  const stopped = ask('cancelled while it runs');
  await submit(stopped);
  await lose();
  await invoke(() => lab.cancel(stopped));
  lab.clock.advance(limits.consumerTimeoutSeconds + limits.leaseGraceSeconds);
  await upkeep();
  await run();

  const unfreed = ask('left behind');
  await submit(unfreed);
  const stuck = failing(lab, /consume \d+ › UpdateItem 2/, failure);
  await run();
  stuck.end();
  await upkeep();
  await upkeep();

  await lab.sendRaw(`not ours: ${marks.padding}`);
  await run();

  const outage = failing(lab, /› PutItem/, failure);
  await submit(ask('orphan'));
  outage.end();
  lab.clock.advance(limits.orphanTokenSeconds + 2);
  await upkeep();

  const silence = failing(lab, /› SendMessage/, failure);
  await submit(ask('unsent'));
  silence.end();
  await upkeep();
  await run();

  const blind = failing(lab, /api \d+ › GetItem/, failure);
  await invoke(() => request('GET', `/jobs/${first.submission.id}`));
  blind.end();
  const headers = { 'content-type': 'application/json', 'idempotency-key': `${marks.key} that is no key` };
  await invoke(() => request('POST', '/jobs', headers, JSON.stringify({ type: marks.padding, payload: marks })));
};

beforeAll(async () => {
  witnessed = await witnessedLab({ capacity: 1, waitJitterRatio: 0 });
  await history(witnessed);
});
afterAll(() => witnessed.close());

const trailOf = (name: string): readonly string[] =>
  witnessed
    .evidence()
    .filter((line) => line['jobId'] === jobs[name]?.submission.id)
    .map((line) => `${line['message']}: ${line['code']}`);

describe('G10: each step leaves one log line with its job and its code', () => {
  it.each<[string, string[]]>([
    [
      'retried',
      [
        'JobsAccepted: accepted',
        'JobsReplayed: queued',
        'JobsConflicted: idempotency-conflict',
        'AttemptsStarted: started',
        'JobsRetried: retryable-error',
        'AttemptsStarted: started',
        'JobsSucceeded: succeeded',
      ],
    ],
    ['refused', ['JobsRefused: queue-full']],
    [
      'taken over',
      [
        'JobsAccepted: accepted',
        'AttemptsStarted: started',
        'PutOffs: running',
        'JobsRecovered: worker-lost',
        'AttemptsStarted: started',
        'JobsSucceeded: succeeded',
        'FenceRejected: fenced',
      ],
    ],
    [
      'redriven',
      [
        'JobsAccepted: accepted',
        ...['AttemptsStarted: started', 'JobsRetried: retryable-error'],
        ...['AttemptsStarted: started', 'JobsRetried: retryable-error'],
        ...['AttemptsStarted: started', 'JobsDead: attempts-exhausted'],
        'JobsRedriven: attempts-exhausted',
        ...['AttemptsStarted: started', 'JobsSucceeded: succeeded'],
      ],
    ],
    ['expired', ['JobsAccepted: accepted', 'JobsExpired: expired']],
    [
      'given up',
      [
        'JobsAccepted: accepted',
        ...['AttemptsStarted: started', 'JobsRecovered: worker-lost'],
        ...['AttemptsStarted: started', 'JobsRecovered: worker-lost'],
        ...['AttemptsStarted: started', 'JobsDead: worker-lost'],
      ],
    ],
    ['cancelled', ['JobsAccepted: accepted', 'JobsCancelled: cancelled']],
    [
      'cancelled while it runs',
      [
        'JobsAccepted: accepted',
        'AttemptsStarted: started',
        'CancelsRequested: cancel-requested',
        'JobsCancelled: cancelled',
      ],
    ],
    [
      'left behind',
      ['JobsAccepted: accepted', 'AttemptsStarted: started', 'JobsSucceeded: succeeded', 'SlotsReclaimed: ended'],
    ],
    ['orphan', ['JobsRefused: unavailable', 'SlotsReclaimed: orphan']],
    [
      'unsent',
      [
        // Taken in, although the answer was 503 as its message was not sent.
        'JobsUnsent: send-failed',
        'JobsAccepted: accepted',
        'MessagesResent: unsent',
        'AttemptsStarted: started',
        'JobsSucceeded: succeeded',
      ],
    ],
  ])('%s', (name, trail) => {
    expect(trailOf(name)).toEqual(trail);
  });

  it('a stray, which has no job, under its own name', () => {
    const strays = witnessed.evidence().filter((line) => line['message'] === 'Strays');
    expect(strays).toMatchObject([{ code: 'unreadable', detail: { stray: expect.stringMatching(/^stray-/) } }]);
  });
});

it('G10: each log line of evidence has its metric, and each metric its line', () => {
  const lines = witnessed.evidence().map((line) => line['message']);
  const counts = (of: (name: string) => number) => Object.fromEntries(counterNames.map((name) => [name, of(name)]));
  expect(counts(witnessed.counted)).toEqual(counts((name) => lines.filter((line) => line === name).length));
  expect(new Set(lines).size).toBeGreaterThan(12);
});

it('G10: no payload, no raw key and no text of an error stands anywhere in it', () => {
  const written = witnessed.written();
  expect(written).toContain('request failed');
  const accounts = Object.values(jobs).map((job) => job.account);
  const planted = [...Object.values(marks).map(String), ...accounts, 'told to fail', 'not ours'];
  expect(planted.filter((text) => written.includes(text))).toEqual([]);
});
