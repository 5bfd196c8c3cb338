import type { DynamoDBClient, ServiceInputTypes, ServiceOutputTypes } from '@aws-sdk/client-dynamodb';
import type { FinalizeRequestMiddleware } from '@smithy/types';

/** A call that was begun too long ago is not sent any more. */
class CallTooOld extends Error {
  override readonly name = 'CallTooOld';
}

/**
 * Bounds the age of a call at each of its tries, just before it is signed. Lambda may freeze a process in the middle of a
 * call and let it go on much later, when it would sign its next try afresh; by then the slot of the record that it brings
 * may have been freed. `maxMs` and the request's own age bound together when a record can still arrive (`assertLimits`).
 */
export const refuseOldCalls = (client: DynamoDBClient, maxMs: number, now: () => number): void => {
  client.middlewareStack.add(
    (next, context) => (args) => {
      context['begunAt'] = now();
      return next(args);
    },
    { step: 'initialize', name: 'callBegun' },
  );
  const refuseOld: FinalizeRequestMiddleware<ServiceInputTypes, ServiceOutputTypes> = (next, context) => (args) => {
    if (now() - Number(context['begunAt']) > maxMs) throw new CallTooOld('the call was begun too long ago');
    return next(args);
  };
  client.middlewareStack.addRelativeTo(refuseOld, {
    relation: 'before',
    toMiddleware: 'httpSigningMiddleware',
    name: 'callAge',
  });
};
