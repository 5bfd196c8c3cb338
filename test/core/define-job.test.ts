import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  defineJob,
  type Job,
  type JobContext,
  type JobDone,
  jobRegistry,
  Retryable,
} from '#functions/jobs/define-job.ts';
import { ledgerCredit } from '#functions/jobs/ledger-credit.ts';
import { registry } from '#functions/jobs/registry.ts';

const context: Omit<JobContext<unknown>, 'payload'> = {
  id: 'a'.repeat(32),
  attempt: 1,
  starts: 1,
  idempotencyKey: 'a'.repeat(32),
  signal: new AbortController().signal,
  checkpoint: async () => {},
  progress: () => {},
  log: { info: () => {}, warn: () => {} },
};
const runs = (job: Job, payload: unknown): JobDone | Promise<JobDone> => {
  const run = job.bind(payload);
  if (run === undefined) throw new Error('the payload does not fit');
  return run(context);
};

const nested = z.object({ list: z.array(z.object({ n: z.number() })), inner: z.object({ t: z.string() }) });
const payload = () => ({ list: [{ n: 1 }], inner: { t: 'x' } });
const withRun = (run: (p: z.infer<typeof nested>) => unknown): Job =>
  defineJob({ type: 'a', payload: nested, timeoutSeconds: 1, run: (c) => ({ result: run(c.payload) }) });

describe('case 3 a handler gets a frozen copy', () => {
  it.each<[string, (p: z.infer<typeof nested>) => unknown]>([
    [
      'a member',
      (p) => {
        p.inner = { t: 'y' };
      },
    ],
    [
      'a member inside',
      (p) => {
        p.inner.t = 'y';
      },
    ],
    [
      'a list',
      (p) => {
        p.list.push({ n: 2 });
      },
    ],
    [
      'an item of a list',
      (p) => {
        for (const item of p.list) item.n = 2;
      },
    ],
    [
      'a new member',
      (p) => {
        Object.assign(p, { more: 1 });
      },
    ],
    [
      'a deletion',
      (p) =>
        Reflect.deleteProperty(p, 'inner') ||
        (() => {
          throw new TypeError('refused');
        })(),
    ],
  ])('changing %s throws', (_, change) => {
    expect(() => runs(withRun(change), payload())).toThrow(TypeError);
  });

  it('and what was handed in stays as it was', () => {
    const given = payload();
    runs(
      withRun((p) => p.inner.t),
      given,
    );
    expect(given).toEqual(payload());
    expect(Object.isFrozen(given)).toBe(false);
    given.list.push({ n: 2 });
  });

  it.each([
    ['taken as it is', z.any()],
    ['with a member taken as it is', z.object({ list: z.any(), inner: z.any() })],
  ])('a payload %s is frozen to the last member', (_, schema) => {
    const given = payload();
    const job = defineJob({ type: 'a', payload: schema, timeoutSeconds: 1, run: (c) => ({ result: c.payload }) });
    const { result } = runs(job, given) as JobDone;
    expect(result).toEqual(payload());
    expect([Object.isFrozen(result), Object.isFrozen((result as typeof given).list[0])]).toEqual([true, true]);
  });
});

describe('defineJob', () => {
  it('hands the rest of the context through and returns what the handler returned', () => {
    const job = defineJob({
      type: 'a',
      payload: nested,
      timeoutSeconds: 1,
      run: ({ id, attempt }) => ({ result: [id, attempt] }),
    });
    expect(runs(job, payload())).toEqual({ result: [context.id, 1] });
    expect(runs(ledgerCredit, { account: 'a', amount: 7 })).toMatchObject({
      writes: [{ key: { account: 'a' } }],
      result: { credited: 7 },
    });
  });

  it('a payload that does not fit is told, not run', () => {
    const job = withRun(() => {
      throw new Error('must not run');
    });
    expect(job.check({ list: [], inner: {} }).map((e) => e.pointer)).toEqual(['/payload/inner/t']);
    expect(job.bind({ list: [], inner: {} })).toBeUndefined();
  });

  it.each([
    [undefined, false],
    [false, false],
    [true, true],
  ])('external %s is %s', (external, expected) => {
    const job = defineJob({
      type: 'a',
      payload: nested,
      timeoutSeconds: 1,
      run: () => ({}),
      ...(external !== undefined && { external }),
    });
    expect(job.external).toBe(expected);
  });

  it.each(['', 'A', 'a b', 'a/b', 'a'.repeat(101)])('the type "%s" is refused', (type) => {
    expect(() => defineJob({ type, payload: nested, timeoutSeconds: 1, run: () => ({}) })).toThrow(TypeError);
  });

  it.each(['a', 'ledger.credit', 'a-b_c.9', 'a'.repeat(100)])('the type "%s" is taken', (type) => {
    expect(defineJob({ type, payload: nested, timeoutSeconds: 1, run: () => ({}) }).type).toBe(type);
  });
});

describe('Retryable', () => {
  it.each([
    [undefined, undefined],
    [0, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [0.5, 0.5],
    [30, 30],
  ])('that asks for %s s waits for %s', (given, expected) => {
    expect(new Retryable('later', { afterSeconds: given }).afterSeconds).toBe(expected);
  });

  it('is an error with a message and a cause', () => {
    const cause = new Error('inner');
    expect(new Retryable('later', { cause })).toMatchObject({ name: 'Retryable', message: 'later', cause });
    expect(new Retryable().afterSeconds).toBeUndefined();
  });
});

describe('the registry', () => {
  it('knows its types by name and refuses two of one', () => {
    expect(registry.get('ledger.credit')).toBe(ledgerCredit);
    expect(registry.get('constructor')).toBeUndefined();
    expect(() => jobRegistry(ledgerCredit, ledgerCredit)).toThrow(TypeError);
  });
});
