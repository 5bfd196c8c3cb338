/** What may happen to one call of AWS. */
type FaultKind =
  /** No try of the SDK is sent, and the caller gets the error. */
  | 'never sent'
  /** Every try is carried out and every answer is lost: the caller gets an error although it happened. */
  | 'answers lost'
  /** It is carried out, the answer is lost, and the SDK's own repetition meets what the first try left. */
  | 'first answer lost'
  /** The worker is gone before the call: it is not made, and nothing of the worker goes on. */
  | 'worker ends before'
  /** The worker is gone after the call: it is carried out, and nothing of the worker goes on. */
  | 'worker ends after';

export interface Fault {
  /** The call as `Actor` names it. */
  readonly call: string;
  readonly kind: FaultKind;
}

const kinds: readonly FaultKind[] = [
  'never sent',
  'answers lost',
  'first answer lost',
  'worker ends before',
  'worker ends after',
];
const reads = /› (Get|BatchGet|Query)/;

/** All faults at these calls; `distinct` are those that leave another world behind than each of the rest. */
export const faultsAt = (
  calls: readonly string[],
): { readonly all: readonly Fault[]; readonly distinct: readonly Fault[] } => {
  const all = calls.flatMap((call) => kinds.map((kind): Fault => ({ call, kind })));
  const begun = new Set<string>();
  const firsts = new Set(calls.filter((call) => !begun.has(roleOf(call)) && begun.add(roleOf(call))));
  return { all, distinct: all.filter((fault) => isDistinct(fault, firsts)) };
};

const roleOf = (call: string): string => call.split(' › ')[0] ?? call;

const isDistinct = ({ call, kind }: Fault, firsts: ReadonlySet<string>): boolean => {
  // To be gone before a call is to be gone after the one before it, and after a read to be gone before it.
  if (kind === 'worker ends before') return firsts.has(call) && !call.startsWith('poller');
  // A read leaves nothing behind: it does not matter whether it was never sent or only its answer was lost.
  if (reads.test(call)) return kind === 'never sent';
  // Nobody waits for the answer to an acknowledgement.
  if (call.startsWith('poller')) return kind === 'never sent' || kind === 'answers lost';
  return true;
};

/** A broken connection as the SDK reports it, which it repeats by itself. */
export const brokenConnection = (): Error =>
  Object.assign(new Error('the connection broke, said the test'), { name: 'TimeoutError', code: 'ECONNRESET' });

/** DynamoDB and SQS have a name each for "too fast"; the SDK repeats both. */
export const throttling = (call: string): Error =>
  Object.assign(new Error('too fast, said the test'), {
    name: /Message|Queue/.test(call) ? 'RequestThrottled' : 'ProvisionedThroughputExceededException',
    $fault: 'client',
    $metadata: { httpStatusCode: 400 },
  });
