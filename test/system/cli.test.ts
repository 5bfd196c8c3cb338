import { beforeAll, describe, expect, onTestFinished } from 'vitest';
import { sluice, sluiceByStack } from '#test/operator/support/program.ts';
import { needs } from '#test/support/engines/needs.ts';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import {
  api,
  jobIn,
  ledger,
  pauseConsumer,
  reconcile,
  reset,
  resumeConsumer,
  sendRaw,
  stageCapacity,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const credit = (account: string) => JSON.stringify({ account, amount: 3 });
/** Dead at its first start, whatever is done about it. */
const doomed = (account: string) => JSON.stringify({ account, amount: 3, permanent: true });

const submitDead = async (key: string, account: string): Promise<string> => {
  const { json } = await sluice('job', 'submit', 'test.scripted', doomed(account), '--key', key, '--json');
  await jobIn(json().id, 'dead');
  return json().id;
};

describe('job', () => {
  test('submit, wait, show and list: a job from its acceptance to its effect', async ({ own }) => {
    const submitted = await sluice(
      'job',
      'submit',
      'ledger.credit',
      credit(own.account()),
      '--key',
      own.key(),
      '--json',
    );
    expect(submitted).toMatchObject({ code: 0, notes: expect.stringContaining('Accepted') });
    const { id } = submitted.json();

    const waited = await sluice('job', 'wait', id, '--timeout', '30', '--json');
    expect([waited.code, waited.json().state]).toEqual([0, 'succeeded']);
    expect(await ledger(own.account())).toEqual({ total: 3, writes: 1 });

    const shown = await sluice('job', 'show', id, '--json');
    expect(shown.json()).toEqual((await api.operatorJob(id)).body);
    expect((await sluice('job', 'show', id)).out).toMatch(/State +succeeded\n[\s\S]*"amount": 3[\s\S]*History\n/);

    for (const who of [[], ['--own']]) {
      const listed = await sluice('job', 'list', '--state', 'succeeded', '--limit', '5', ...who, '--json');
      expect(listed.json().jobs[0]).toMatchObject({ id });
    }

    const again = await sluice('job', 'submit', 'ledger.credit', credit(own.account()), '--key', own.key(), '--wait');
    expect(again.code).toBe(0);
    const other = await sluice('job', 'submit', 'ledger.credit', credit('another'), '--key', own.key());
    expect(other).toMatchObject({ code: 1, out: '', notes: expect.stringContaining('idempotency-conflict') });
    expect(await ledger(own.account())).toEqual({ total: 3, writes: 1 });
  });

  test('cancel: a job that waits is cancelled, one that has ended is not', async ({ own }) => {
    await pauseConsumer();
    const { body } = await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 });
    expect(await sluice('job', 'cancel', body.id)).toMatchObject({ code: 0, out: `${body.id}  cancelled\n` });
    await jobIn(body.id, 'cancelled');
    expect((await sluice('job', 'wait', body.id)).code).toBe(1);
    const { body: done } = await api.submit(own.key('done'), 'ledger.credit', { account: own.account(), amount: 1 });
    await resumeConsumer();
    await jobIn(done.id, 'succeeded');
    expect(await sluice('job', 'cancel', done.id)).toMatchObject({
      code: 1,
      notes: expect.stringContaining('not-in-flight'),
    });
  });

  test('show --logs finds what the functions logged about it', async ({ own, skip }) => {
    needs({ skip }, 'log-filters');
    const id = await submitDead(own.key(), own.account());
    await eventually(async () => {
      const { code, out } = await sluiceByStack('job', 'show', id, '--logs');
      expect(code).toBe(0);
      expect(out).toMatch(/Logs\n[\s\S]*api +INFO +JobsAccepted[\s\S]*consumer +ERROR +JobsDead +permanent-error/);
    });
    const { out } = await sluiceByStack('job', 'show', id, '--logs', '--json');
    const [job, ...lines] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(job).toMatchObject({ id, state: 'dead' });
    expect(lines.every((line) => line.jobId === id)).toBe(true);
    expect(out.split('\n').slice(1).join('\n')).not.toContain(own.account());
    expect(await sluice('job', 'show', id, '--logs')).toMatchObject({
      code: 1,
      notes: expect.stringContaining('--stack'),
    });
  });
});

describe('dead', () => {
  test('list, show, redrive and discard', async ({ own }) => {
    const ids = [await submitDead(own.key('a'), own.account()), await submitDead(own.key('b'), own.account())];
    const [first = '', second = ''] = ids;
    await eventually(async () => {
      const { json } = await sluice('dead', 'list', '--reason', 'permanent-error', '--type', 'test.scripted', '--json');
      expect(json().jobs.map((job: { id: string }) => job.id)).toEqual(expect.arrayContaining(ids));
    });
    expect((await sluice('dead', 'list')).out).toContain('told to fail for good');
    expect((await sluice('dead', 'show', first)).out).toMatch(/Reason +permanent-error/);

    const rehearsal = await sluice('dead', 'redrive', ...ids, '--dry-run');
    expect(rehearsal).toMatchObject({ code: 0, out: '2 would be redriven, 0 skipped, 2 looked at\n' });
    const redriven = await sluice('dead', 'redrive', ...ids, '--rate', '50');
    expect(redriven).toMatchObject({ code: 0, out: '2 redriven, 0 skipped, 2 looked at\n' });
    await Promise.all(ids.map((id) => jobIn(id, 'dead')));
    expect((await api.operatorJob(first)).body).toMatchObject({ redrives: 1, starts: 2 });

    expect(await sluice('dead', 'discard', first)).toMatchObject({
      code: 0,
      out: '1 discarded, 0 skipped, 1 looked at\n',
    });
    const partly = await sluice('dead', 'redrive', first, second, '--json');
    expect(partly.code).toBe(3);
    expect(partly.json()).toMatchObject({ moved: 1, skipped: [{ id: first, code: 'not-dead' }] });
    await jobIn(second, 'dead');
  });

  test('--all goes over everything that is dead, a discard over strays too', async ({ own }) => {
    await sendRaw(`no json ${own.key()}`);
    const id = await submitDead(own.key(), own.account());
    const stray = await eventually(async () => {
      await reconcile();
      const { json } = await sluice('dead', 'list', '--reason', 'unreadable', '--json');
      expect(json().jobs).not.toEqual([]);
      return json().jobs[0].id as string;
    });
    expect((await sluice('dead', 'show', stray)).out).toMatch(/Reason +unreadable/);
    const redriven = await sluice('dead', 'redrive', '--all', '--yes', '--json');
    // A stray is no job, and nothing that a walk over all could redrive.
    expect(redriven.json().skipped).not.toContainEqual({ id: stray, code: 'job-not-found' });
    expect(redriven.json().moved).toBeGreaterThan(0);
    await jobIn(id, 'dead');
    expect((await api.operatorJob(id)).body.redrives).toBe(1);
    expect(await sluice('dead', 'discard', '--all')).toMatchObject({
      code: 2,
      out: '',
      notes: expect.stringContaining('--yes'),
    });
    // What other tests left and was redriven along with it may die again meanwhile.
    await eventually(async () => {
      expect((await sluice('dead', 'discard', '--all', '--yes')).code).toBe(0);
      expect((await sluice('dead', 'list', '--json')).json().jobs).toEqual([]);
    });
  });

  test('redrive stops when the slots are taken, and says so', async ({ own }) => {
    const ids = [await submitDead(own.key('a'), own.account()), await submitDead(own.key('b'), own.account())];
    // A job is seen dead before its slot is free.
    await eventually(async () => expect((await api.status()).body.inFlight.total).toBe(0));
    await pauseConsumer();
    onTestFinished(async () => void (await api.setCapacity(stageCapacity)));
    expect((await sluice('capacity', 'set', '1', '--yes')).code).toBe(0);
    const stopped = await sluice('dead', 'redrive', ...ids);
    expect(stopped).toMatchObject({
      code: 3,
      out: expect.stringMatching(/^1 redriven, 1 skipped/),
      notes: expect.stringContaining('all slots are taken'),
    });
  });
});
