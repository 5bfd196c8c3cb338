import { deadlineFrom } from './admit.ts';
import { finish, recover } from './attempt-end.ts';
import { deadlinePassed, isInFlight, isWaiting, type Job } from './job.ts';
import { become, type EventOf, type JobEvent, refuse, stateRefusal, type Transition } from './job-event.ts';
import type { Limits } from './limits.ts';
import { die, end, touch, unmarked, withoutTime } from './record-step.ts';

/**
 * The one maker of states: what `event` makes of `job`, or why it may not. Pure; the store turns the difference into
 * one guarded write, so a decision that was overtaken is refused there and made again here on the newer record.
 */
export const transition = (job: Job, event: JobEvent, limits: Limits): Transition => {
  switch (event.type) {
    case 'start':
      return start(job, event);
    case 'finish':
      return finish(job, event, limits);
    case 'recover':
      return recover(job, event, limits);
    case 'cancel':
      return cancel(job, event, limits);
    case 'expire':
      if (!isWaiting(job)) return refuse(stateRefusal(job));
      if (!deadlinePassed(job, event.now)) return refuse('deadline-ahead');
      return become(end(job, 'expired', event.now, { event: 'expire' }, limits));
    case 'bury':
      if (!isWaiting(job)) return refuse(stateRefusal(job));
      return become(die(job, event.reason, event.now));
    case 'redrive':
      return redrive(job, event, limits);
    case 'discard':
      if (job.state !== 'dead') return refuse('not-dead');
      return become({
        ...end(job, 'discarded', event.now, { event: 'discard', detail: { actor: event.actor } }, limits),
        reason: job.reason,
      });
    case 'resend':
      if (!isWaiting(job)) return refuse(stateRefusal(job));
      return become({
        ...touch(job, event.now, { event: 'resend', detail: { cause: event.cause } }),
        sentAt: event.now,
        unsent: undefined,
        resends: job.resends + (event.cause === 'missing' ? 1 : 0),
        returns: job.returns + (event.cause === 'returned' ? 1 : 0),
      });
    case 'mark-stale':
      if (!isInFlight(job)) return refuse(stateRefusal(job));
      return job.stale
        ? refuse('nothing-to-do')
        : become({ ...touch(job, event.now, { event: 'stale' }), stale: true });
    case 'clear-stale':
      if (!isInFlight(job)) return refuse(stateRefusal(job));
      return job.stale ? become({ ...touch(job, event.now), stale: undefined }) : refuse('nothing-to-do');
    case 'mark-unsent':
      if (!isWaiting(job)) return refuse(stateRefusal(job));
      return job.unsent ? refuse('nothing-to-do') : become({ ...touch(job, event.now), unsent: true });
    case 'mark-sent':
      if (!isInFlight(job)) return refuse(stateRefusal(job));
      return job.unsent
        ? become({ ...touch(job, event.now), unsent: undefined, sentAt: event.now })
        : refuse('nothing-to-do');
  }
};

const start = (job: Job, event: EventOf<'start'>): Transition => {
  if (!isWaiting(job)) return refuse(stateRefusal(job));
  if (deadlinePassed(job, event.now)) return refuse('deadline-passed');
  if (job.nextAttemptAt !== undefined && job.nextAttemptAt > event.now) return refuse('too-early');
  if (job.attempt >= job.attemptsMax) return refuse('no-attempts-left');
  const attempt = job.attempt + 1;
  return become({
    ...withoutTime(touch(job, event.now, { event: 'start', attempt })),
    state: 'running',
    attempt,
    starts: job.starts + 1,
    owner: event.owner,
    leaseUntil: event.leaseUntil,
    stale: undefined,
    unsent: undefined,
    returns: 0,
  });
};

const cancel = (job: Job, event: EventOf<'cancel'>, limits: Limits): Transition => {
  const detail = { actor: event.actor };
  if (job.state === 'running') {
    if (job.cancelRequested) return refuse('nothing-to-do');
    return become({ ...touch(job, event.now, { event: 'cancel-request', detail }), cancelRequested: true });
  }
  if (!isInFlight(job)) return refuse(stateRefusal(job));
  return become(end(job, 'cancelled', event.now, { event: 'cancel', detail }, limits));
};

const redrive = (job: Job, event: EventOf<'redrive'>, limits: Limits): Transition => {
  if (job.state !== 'dead') return refuse('not-dead');
  if (job.redrives >= (event.force ? limits.redrivesForcedMax : limits.redrivesMax)) return refuse('redrive-limit');
  const { reason, diedAt: _, ...rest } = job;
  const detail = {
    actor: event.actor,
    tenure: job.tenure + 1,
    after: reason.code,
    ...(event.force && { force: true }),
  };
  return become({
    ...touch(rest, event.now, { event: 'redrive', detail }),
    state: 'queued',
    tenure: job.tenure + 1,
    attempt: 0,
    losses: 0,
    waitedMs: 0,
    attemptsMax: limits.attemptsMax,
    deadlineAt: deadlineFrom(event.now, job.options),
    redrives: job.redrives + 1,
    slot: event.slot,
    progress: undefined,
    sentAt: event.now,
    resends: 0,
    returns: 0,
    ...unmarked,
  });
};
