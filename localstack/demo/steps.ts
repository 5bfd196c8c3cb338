import { type Finding, progress } from './report.ts';
import { type DemoJob, type Stage, until } from './stage.ts';

const poisonRuns = { failBefore: 99 };
const endSeconds = 40;

const finding =
  (step: string) =>
  (what: string, expected: unknown, observed: unknown): Finding => ({
    step,
    what,
    expected: String(expected),
    observed: String(observed),
  });

const ended = (stage: Stage, job: DemoJob, state: string) =>
  until(
    `job ${job.id} ${state}`,
    endSeconds,
    () => stage.job(job.id),
    (seen) => seen.state === state,
  );

const waitsOf = (job: DemoJob): number[] =>
  job.history.flatMap((entry) => (entry.event === 'retry' ? [entry.detail?.waitSeconds ?? Number.NaN] : []));

/** (a) The main job: a lost acknowledgement, a repetition, a poison job, and one that must not wait for it. */
export const mainJob = async (stage: Stage, run: string): Promise<{ findings: readonly Finding[]; a: DemoJob }> => {
  const f = finding('a');
  const account = `demo-${run}`;
  progress('(a) submitting a(7) whose first acknowledgement is lost, a again, poison(99) that always fails, b(3)');
  const a = await stage.accept(`${run}-a`, 'test.scripted', { account, amount: 7, loseAck: 1 });
  const again = await stage.submit(`${run}-a`, 'test.scripted', { account, amount: 7, loseAck: 1 });
  const poison = await stage.accept(`${run}-poison`, 'test.scripted', { account, amount: 99, ...poisonRuns });
  const b = await stage.accept(`${run}-b`, 'ledger.credit', { account, amount: 3 });
  const [aDone, bDone] = await Promise.all([ended(stage, a.body, 'succeeded'), ended(stage, b.body, 'succeeded')]);
  progress('(a) a and b have succeeded; waiting for the lost acknowledgement to come back and for poison to give up');
  const ackWaits = await until(
    'a lost acknowledgement in the log',
    endSeconds,
    () => stage.lostAckWaits(a.body.id),
    (waits) => waits.length > 0,
  );
  const poisonDead = await ended(stage, poison.body, 'dead');
  await until(
    'all messages of (a) handled',
    endSeconds,
    () => stage.status(),
    (s) => s.inFlight.total === 0 && s.backlog.visible + s.backlog.notVisible + s.backlog.delayed === 0,
  );
  const ledger = await stage.ledger(account);
  const processed = [
    ['a', aDone],
    ['b', bDone],
    ['poison', await stage.job(poison.body.id)],
  ] as const;
  return {
    a: a.body,
    findings: [
      f(
        'a, a again, poison, b answered',
        '202 200 202 202',
        [a, again, poison, b].map((answer) => answer.status).join(' '),
      ),
      f('a again finds the same job', a.body.id, again.body.id),
      f('total of the account', 10, ledger.total),
      f('writes on the account', 2, ledger.writes),
      f(
        'processed keys',
        '{a, b}',
        `{${processed
          .filter(([, job]) => job.state === 'succeeded')
          .map(([key]) => key)
          .join(', ')}}`,
      ),
      f('starts of a, though delivered twice', 1, aDone.starts),
      f(
        'poison',
        'dead after 3: attempts-exhausted',
        `${poisonDead.state} after ${poisonDead.attempt}: ${poisonDead.reason?.code}`,
      ),
      f('waits of a, poison, poison (s)', '1, 1, 2', [...ackWaits, ...waitsOf(poisonDead)].join(', ')),
      f('b was done before poison was dead', true, bDone.updatedAt < poisonDead.updatedAt),
    ],
  };
};

/** (b) One meaning per key. */
export const conflict = async (stage: Stage, run: string, a: DemoJob): Promise<readonly Finding[]> => {
  const f = finding('b');
  progress('(b) submitting under the key of a with another amount');
  const before = JSON.stringify([await stage.job(a.id), await stage.ledger(`demo-${run}`)]);
  const other = await stage.submit(`${run}-a`, 'test.scripted', { account: `demo-${run}`, amount: 8, loseAck: 1 });
  const after = JSON.stringify([await stage.job(a.id), await stage.ledger(`demo-${run}`)]);
  return [
    f('same key, other amount', '422 idempotency-conflict', `${other.status} ${other.body.code}`),
    f('job and ledger unchanged', true, before === after),
  ];
};

const burst = 12;
const smallCapacity = 5;

/** (c) The bound: a burst against a small capacity while nothing is consumed. */
export const capacity = async (stage: Stage, run: string): Promise<readonly Finding[]> => {
  const f = finding('c');
  const before = await stage.status();
  progress(`(c) capacity ${smallCapacity}, consumer paused, a burst of ${burst}`);
  await stage.operate('/operator/capacity', { capacity: smallCapacity });
  await stage.operate('/operator/consumer', { state: 'paused' });
  await until(
    'consumer paused',
    endSeconds,
    () => stage.status(),
    (s) => s.consumer === 'paused',
  );
  try {
    const payload = { account: `demo-burst-${run}`, amount: 1 };
    const answers = await Promise.all(
      Array.from({ length: burst }, (_, i) => stage.submit(`${run}-c${i}`, 'ledger.credit', payload)),
    );
    const accepted = answers.flatMap((answer, i) =>
      answer.status === 202 ? [{ id: answer.body.id, key: `${run}-c${i}` }] : [],
    );
    const refused = answers.filter((answer) => answer.status === 429 && answer.body.code === 'queue-full').length;
    const full = await stage.status();
    const replay = await stage.submit(accepted[0]?.key ?? '', 'ledger.credit', payload);
    progress('(c) consumer resumed');
    await stage.operate('/operator/consumer', { state: 'running' });
    const settled = await until(
      'no slot taken',
      endSeconds,
      () => stage.status(),
      (s) => s.inFlight.total === 0,
    );
    const jobs = await Promise.all(accepted.map(({ id }) => stage.job(id)));
    const ledger = await stage.ledger(payload.account);
    return [
      f(
        'accepted, refused as queue-full',
        `${smallCapacity}, ${burst - smallCapacity}`,
        `${accepted.length}, ${refused}`,
      ),
      f('slots taken while full', smallCapacity, full.inFlight.total),
      f('replay of an accepted key meanwhile', `200 ${accepted[0]?.id}`, `${replay.status} ${replay.body.id}`),
      f('succeeded after the resume', smallCapacity, jobs.filter((job) => job.state === 'succeeded').length),
      f('effects of the burst', smallCapacity, ledger.writes),
      f('slots taken at the end', 0, settled.inFlight.total),
    ];
  } finally {
    await stage.operate('/operator/consumer', { state: 'running' });
    await stage.operate('/operator/capacity', { capacity: before.capacity });
  }
};

/** (d) The dead: a job whose cause passes after three starts, listed with its reason and redriven. */
export const redrive = async (stage: Stage, run: string): Promise<readonly Finding[]> => {
  const f = finding('d');
  const account = `demo-outage-${run}`;
  progress('(d) a job that fails for as long as an outage of three starts lasts');
  const job = (await stage.accept(`${run}-outage`, 'test.scripted', { account, amount: 4, failBefore: 3 })).body;
  await ended(stage, job, 'dead');
  const listed = await until(
    'the dead job in the list',
    endSeconds,
    () => stage.dead(),
    (dead) => dead.some((d) => d.id === job.id),
  );
  const reason = listed.find((dead) => dead.id === job.id)?.reason?.code;
  const dry = await stage.operate<{ moved: number }>('/operator/dead/redrive', { ids: [job.id], dryRun: true });
  progress('(d) the outage is over: redriving under the same id');
  const redriven = await stage.operate<{ moved: number }>('/operator/dead/redrive', { ids: [job.id] });
  const done = await ended(stage, job, 'succeeded');
  const again = await stage.operate<{ moved: number; skipped: { code: string }[] }>('/operator/dead/redrive', {
    ids: [job.id],
  });
  const ledger = await stage.ledger(account);
  return [
    f('listed with its reason', 'attempts-exhausted', reason),
    f('dry run, redrive: jobs moved', '1, 1', `${dry.body.moved}, ${redriven.body.moved}`),
    f('same id, starts, redrives', `${job.id}, 4, 1`, `${done.id}, ${done.starts}, ${done.redrives}`),
    f('total and writes of its account', '4, 1', `${ledger.total}, ${ledger.writes}`),
    f('redriven once more', '0, not-dead', `${again.body.moved}, ${again.body.skipped[0]?.code}`),
  ];
};

/** (e) An ordered end: close, drain what is in flight, drained after the last acknowledgement, open again. */
export const drain = async (stage: Stage, run: string): Promise<readonly Finding[]> => {
  const f = finding('e');
  const account = `demo-drain-${run}`;
  progress('(e) closing the intake with a drain while a job waits for its second attempt');
  const job = (await stage.accept(`${run}-last`, 'test.scripted', { account, amount: 2, failBefore: 1 })).body;
  const closed = await stage.operate<{ intake: string }>('/operator/intake', { state: 'closed', mode: 'drain' });
  try {
    const late = await stage.submit(`${run}-late`, 'ledger.credit', { account, amount: 1 });
    const replay = await stage.submit(`${run}-last`, 'test.scripted', { account, amount: 2, failBefore: 1 });
    const done = await ended(stage, job, 'succeeded');
    const drained = await until(
      'drained at the second clean look',
      endSeconds,
      async () => {
        await stage.reconcile();
        return stage.status();
      },
      (status) => status.intake === 'drained',
    );
    const ledger = await stage.ledger(account);
    return [
      f('close with a drain', '200 draining', `${closed.status} ${closed.body.intake}`),
      f(
        'a new job, a known one meanwhile',
        '503 intake-closed, 200',
        `${late.status} ${late.body.code}, ${replay.status}`,
      ),
      f('what was in flight', 'succeeded, 2 in 1 write', `${done.state}, ${ledger.total} in ${ledger.writes} write`),
      f('drained: slots, messages worked on', '0, 0', `${drained.inFlight.total}, ${drained.backlog.notVisible}`),
    ];
  } finally {
    progress('(e) opening the intake again');
    await stage.operate('/operator/intake', { state: 'open' });
  }
};
