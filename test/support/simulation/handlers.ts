import * as z from 'zod/mini';
import type { JobWrite } from '#core/job-write.ts';
import {
  defineJob,
  type JobContext,
  type JobDone,
  type JobRegistry,
  jobRegistry,
  Retryable,
} from '#functions/jobs/define-job.ts';

/** What a scripted job does at one of its starts. */
const behaviours = [
  'ok',
  'ok-external',
  'checkpoint-ok',
  'slow-ok',
  'slow-retryable',
  'retryable',
  'permanent',
  'throw-undefined',
  'hang',
  'kill-worker',
  'result-bigint',
  'result-cycle',
  'result-huge',
  'condition-permanent',
  'condition-retryable',
  'same-item-twice',
] as const;
export type Behaviour = (typeof behaviours)[number];

/** What a start of that behaviour may lead to by its own finish; a time-out and a cancel may always come in between. */
export const endsOf: Readonly<Record<Behaviour, 'done' | 'again' | 'dead' | 'none'>> = {
  ok: 'done',
  'ok-external': 'done',
  'checkpoint-ok': 'done',
  'slow-ok': 'done',
  'slow-retryable': 'again',
  retryable: 'again',
  permanent: 'dead',
  'throw-undefined': 'dead',
  hang: 'again',
  'kill-worker': 'none',
  'result-bigint': 'dead',
  'result-cycle': 'dead',
  'result-huge': 'dead',
  'condition-permanent': 'dead',
  'condition-retryable': 'again',
  'same-item-twice': 'dead',
};

export const scriptedType = 'sim.scripted';
export const externalType = 'sim.external';

const payload = z.strictObject({
  /** One behaviour a start, over all tenures; the last one stays. */
  script: z.array(z.enum(behaviours)).check(z.minLength(1)),
  slowMs: z.number(),
  pad: z.optional(z.string()),
});
type Payload = z.infer<typeof payload>;

export interface WorkerHooks {
  readonly began: (run: { readonly id: string; readonly starts: number; readonly behaviour: Behaviour }) => void;
  readonly ended: (id: string) => void;
  readonly kill: (id: string) => void;
  readonly wait: (ms: number) => Promise<void>;
}

/** Counts the effects of a job: the item says how often its credit was committed. */
export const effectOf = (id: string): JobWrite => ({
  table: 'ledger',
  key: { job: id },
  kind: 'update',
  update: { expression: 'ADD effects :one', values: { ':one': 1 } },
});

const neverThere = (retryable: boolean): JobWrite => ({
  table: 'gates',
  key: { gate: 'never there' },
  kind: 'check',
  condition: { expression: 'attribute_exists(gate)' },
  retryable,
});

const forEver = new Promise<never>(() => undefined);

/** The job types of a simulated consumer. Every behaviour would write its effect if only it came to its end. */
export const scriptedJobs = (hooks: WorkerHooks): JobRegistry => {
  const run = async (context: JobContext<Payload>): Promise<JobDone> => {
    const { id, starts, payload: request } = context;
    const behaviour = request.script[Math.min(starts, request.script.length) - 1] ?? 'ok';
    hooks.began({ id, starts, behaviour });
    context.signal.addEventListener('abort', () => hooks.ended(id));
    try {
      return await perform(hooks, behaviour, context);
    } finally {
      hooks.ended(id);
    }
  };
  const definition = { payload, timeoutSeconds: 30, run };
  return jobRegistry(
    defineJob({ ...definition, type: scriptedType }),
    defineJob({ ...definition, type: externalType, external: true }),
  );
};

const perform = async (
  hooks: WorkerHooks,
  behaviour: Behaviour,
  { id, payload: request, checkpoint }: JobContext<Payload>,
): Promise<JobDone> => {
  const effect = effectOf(id);
  switch (behaviour) {
    case 'ok':
    case 'ok-external':
      return { writes: [effect], result: { ok: true } };
    case 'checkpoint-ok':
      await checkpoint();
      return { writes: [effect], result: { ok: true } };
    case 'slow-ok':
      await hooks.wait(request.slowMs);
      await checkpoint();
      return { writes: [effect], result: { ok: true } };
    case 'slow-retryable':
      await hooks.wait(request.slowMs);
      throw new Retryable('not yet');
    case 'retryable':
      throw new Retryable('not now');
    case 'permanent':
      throw new Error('never');
    case 'throw-undefined':
      throw undefined;
    case 'hang':
      return forEver;
    case 'kill-worker':
      hooks.kill(id);
      return forEver;
    case 'result-bigint':
      return { writes: [effect], result: { big: 1n } };
    case 'result-cycle': {
      const cycle: Record<string, unknown> = {};
      cycle['self'] = cycle;
      return { writes: [effect], result: cycle };
    }
    case 'result-huge':
      return { writes: [effect], result: 'x'.repeat(70_000) };
    case 'condition-permanent':
      return { writes: [effect, neverThere(false)] };
    case 'condition-retryable':
      return { writes: [effect, neverThere(true)] };
    case 'same-item-twice':
      return { writes: [effect, effect] };
  }
};
