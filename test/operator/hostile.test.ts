import { describe, expect, test } from 'vitest';
import { jobLike, someId, statusLike } from './support/answers.ts';
import { fakeApi } from './support/fake-api.ts';
import { sluiceAt } from './support/sluice.ts';

const id = someId(1);
const evil = '\u001b[2J\u009b31m\r\nspoof\u202e\u2028\u0007';
const evilJob = jobLike({
  id: evil,
  type: evil,
  key: evil,
  state: evil,
  tenant: evil,
  updatedAt: evil,
  nextAttemptAt: evil,
  reason: { code: evil, message: evil },
  progress: { done: 1, total: 2, note: evil },
  payload: { [evil]: [evil] },
  result: evil,
  history: [{ at: evil, event: evil, detail: { [evil]: evil } }],
});
const evilStatus = statusLike({ intake: evil, consumer: evil, drain: { left: 1, until: evil, waitingFor: evil } });
const evilBulk = { examined: 1, moved: 0, skipped: [{ id: evil, code: evil }], stoppedBy: evil, dryRun: false };
const evilProblem = {
  status: 400,
  detail: evil,
  code: evil,
  retryable: false,
  requestId: evil,
  errors: [{ pointer: evil, detail: evil }],
};

/** Everything but the ends of lines, which are ours. */
const harmful = /[^\n\P{C}]|[\u2028\u2029]/u;

describe('nothing of what the API says reaches the terminal as a control character', () => {
  test.for([
    [`job show ${id}`, evilJob],
    [`job wait ${id}`, evilJob],
    [`job wait ${id} --timeout 1`, { ...evilJob, state: 'running' }],
    [`job cancel ${id}`, evilJob],
    ['job submit ledger.credit {}', evilJob],
    ['job list', { jobs: [evilJob], cursor: 'c' }],
    ['dead list', { jobs: [{ id: evil, stray: true, reason: evil, receivedAt: evil }, evilJob] }],
    [`dead show ${id}`, evilJob],
    [`dead show stray-${id}`, { jobs: [{ id: `stray-${id}`, stray: true, reason: evil, receivedAt: evil }] }],
    [`dead redrive ${id}`, evilBulk],
    ['status', evilStatus],
    ['watch --count 1', evilStatus],
    ['intake status', evilStatus],
    ['intake drain --yes --timeout 1', evilStatus],
    ['consumer pause', evilStatus],
    ['capacity show', evilStatus],
    ['doctor', evilStatus],
  ] as const)('sluice %s', async ([line, body]) => {
    const api = await fakeApi(() => ({ body: line.startsWith('job list') ? { ...body, cursor: undefined } : body }));
    for (const terminal of [true, false]) {
      const { all } = await sluiceAt(api)(line, { terminal, answers: ['y', 'y'] });
      expect(all).not.toMatch(harmful);
      expect(all).not.toBe('');
    }
  });

  test('nor as a refusal', async () => {
    const api = await fakeApi(() => ({ status: 400, body: evilProblem }));
    for (const line of ['status', 'doctor', `job cancel ${id}`]) {
      expect((await sluiceAt(api)(line, { terminal: true })).all).not.toMatch(harmful);
    }
  });

  test('nor in the JSON on a terminal', async () => {
    const api = await fakeApi(() => ({ body: JSON.stringify(evilJob).replaceAll('\\u001b', '\u009b') }));
    expect((await sluiceAt(api)(`job show ${id} --json`, { terminal: true })).all).not.toMatch(harmful);
  });
});
