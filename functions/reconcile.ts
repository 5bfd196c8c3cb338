import { reconcile } from '#flow/reconcile.ts';
import { readOperatorEnv } from './env.ts';
import { onInstance } from './invocation.ts';
import { wireReconciler } from './wiring/reconcile.ts';

/** Runs on a schedule, and by hand: `aws lambda invoke`. Its answer is the report of the run, whatever the event is. */
export const handler = onInstance(
  () => wireReconciler(readOperatorEnv()),
  ({ world }, _event: unknown, context) => reconcile(world, () => context.getRemainingTimeInMillis()),
);
