import { isInFlight, type Job, type Reason } from './job.ts';
import type { Outcome } from './outcome.ts';
import type { Slot } from './slot.ts';

/** What can happen to a job that exists. `now` is the clock of whoever decides; `jitter` is in [0, 1). */
export type JobEvent =
  | { readonly type: 'start'; readonly now: number; readonly owner: string; readonly leaseUntil: number }
  | {
      readonly type: 'finish';
      readonly now: number;
      readonly owner: string;
      readonly outcome: Outcome;
      readonly jitter: number;
    }
  | { readonly type: 'recover'; readonly now: number; readonly jitter: number }
  | { readonly type: 'cancel'; readonly now: number; readonly actor: string }
  | { readonly type: 'expire'; readonly now: number }
  | { readonly type: 'bury'; readonly now: number; readonly reason: Reason }
  | {
      readonly type: 'redrive';
      readonly now: number;
      readonly slot: Slot;
      readonly actor: string;
      readonly force: boolean;
    }
  | { readonly type: 'discard'; readonly now: number; readonly actor: string }
  | { readonly type: 'resend'; readonly now: number; readonly cause: 'missing' | 'unsent' | 'returned' }
  | { readonly type: 'mark-stale'; readonly now: number }
  | { readonly type: 'clear-stale'; readonly now: number }
  | { readonly type: 'mark-unsent'; readonly now: number }
  | { readonly type: 'mark-sent'; readonly now: number };

export type Refusal =
  | 'final'
  | 'dead'
  | 'not-dead'
  | 'running'
  | 'not-running'
  | 'not-owner'
  | 'lease-not-ended'
  | 'too-early'
  | 'deadline-passed'
  | 'deadline-ahead'
  | 'no-attempts-left'
  | 'cancel-requested'
  | 'redrive-limit'
  | 'nothing-to-do';

export type Transition = { readonly ok: true; readonly job: Job } | { readonly ok: false; readonly refusal: Refusal };

export type EventOf<T extends JobEvent['type']> = Extract<JobEvent, { type: T }>;

export const refuse = (refusal: Refusal): Transition => ({ ok: false, refusal });
export const become = (job: Job): Transition => ({ ok: true, job });

/** Why an event that needs another state does not apply to this one. */
export const stateRefusal = (job: Job): Refusal => {
  if (job.state === 'dead') return 'dead';
  if (job.state === 'running') return 'running';
  return isInFlight(job) ? 'not-running' : 'final';
};
