import type { StatusAnswer } from '../answers.ts';
import { count } from '../render/bar.ts';
import { plain } from '../render/plain.ts';
import { type Check, fail, ok, unseen, warn } from './check.ts';

/** What the status tells of the system's condition. */
export const checkCondition = (status: StatusAnswer): readonly Check[] => [
  checkIntake(status),
  checkConsumer(status),
  checkSlots(status),
  checkBacklog(status),
  checkDead(status),
];

const checkIntake = ({ intake, drain }: StatusAnswer): Check => {
  if (intake === 'open') return ok('intake', 'open');
  if (drain?.waitingFor !== undefined) {
    return fail('intake', `draining, and waiting for: ${plain(drain.waitingFor)}`, 'sluice consumer resume');
  }
  return warn('intake', `${plain(intake)}: every submission is refused`, 'When that is not meant: sluice intake open');
};

const checkConsumer = ({ consumer, inFlight }: StatusAnswer): Check => {
  if (consumer === 'running') return ok('consumer', "running; the queue's mapping is on");
  const waiting = inFlight.total === 0 ? '' : `, and ${count(inFlight.total)} jobs wait`;
  return warn(
    'consumer',
    `${plain(consumer)}: no job starts${waiting}`,
    'When that is not meant: sluice consumer resume',
  );
};

const checkSlots = ({ capacity, inFlight }: StatusAnswer): Check => {
  const { total, queued, running, retrying } = inFlight;
  const taken = `${count(total)} of ${count(capacity)} slots are taken`;
  if (total >= capacity) {
    return warn(
      'slots',
      `${taken}: submissions are refused`,
      'RUNBOOK.md, "Capacity reached". Who holds them: sluice job list --state retrying',
    );
  }
  if (queued === null) return ok('slots', taken);
  const unexplained = total - queued - (running ?? 0) - (retrying ?? 0);
  if (unexplained <= Math.max(10, total / 2)) return ok('slots', taken);
  return warn(
    'slots',
    `${taken}, ${count(unexplained)} of them by jobs that are not in flight`,
    'The reconciler frees them within 20 minutes. When it does not, look at its log.',
  );
};

const checkBacklog = ({ backlog, capacity, inFlight }: StatusAnswer): Check => {
  const messages = backlog.visible + backlog.notVisible + backlog.delayed;
  const detail = `${count(messages)} messages for ${count(inFlight.total)} jobs in flight`;
  if (messages > capacity) {
    return fail(
      'queue',
      `${detail}: above the capacity, so submissions are refused`,
      'Strays or copies: see what comes into sluice dead list',
    );
  }
  if (messages > 2 * inFlight.total + 20)
    return warn('queue', detail, 'Strays or copies; the consumer clears them. Look again: sluice watch');
  return ok('queue', detail);
};

const checkDead = ({ dead }: StatusAnswer): Check =>
  dead === 0
    ? ok('dead', 'none')
    : warn(
        'dead',
        `${count(dead)} dead jobs and strays`,
        'See what they died of: sluice dead list, then redrive or discard them',
      );

/** What holds because a function answered, and what HTTP does not show. */
export const checkSettings = (answered: boolean): readonly Check[] => [
  answered
    ? ok(
        'limits',
        'The relations between the limits hold: each function checks them before its first answer, and two have answered.',
      )
    : unseen(
        'limits',
        'Each function checks the relations between its limits before its first answer; none has answered well.',
      ),
  unseen(
    'settings of queues, tables and mapping',
    'The API does not show visibility, retention, redrive policy, TTL and batch size. What the stack makes of the limits: npm run synth. What was changed by hand: aws cloudformation detect-stack-drift',
  ),
  unseen('reconciler', 'The API does not show when it last ran. The alarm and the metric ReconcilerRuns do.'),
];
