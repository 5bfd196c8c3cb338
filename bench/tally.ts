import { priceOf, type Usage } from '../operator/plan/prices.ts';
import type { CountedCall } from './proxy.ts';

/** What some jobs cost, counted; per job unless said otherwise. */
export interface Tally {
  readonly jobs: number;
  /** `api dynamodb:PutItem`; refused writes stand apart as `api dynamodb:PutItem refused`. */
  readonly calls: Readonly<Record<string, number>>;
  readonly callsTotal: number;
  readonly writeUnits: Readonly<Record<string, number>>;
  readonly writeUnitsTotal: number;
  readonly readUnits: number;
  readonly sqsRequests: number;
  readonly dollars: number;
  /** Without what the indexes of the lists cost, which the peer does not have. */
  readonly dollarsWithoutLists: number;
}

/** What the proxy cannot see: Lambda's own receives and deletes, one of each an invocation of the consumer. */
export interface Invoked {
  readonly api: number;
  readonly consumer: number;
}

/** Indexes that serve lists only. */
const listIndexes = ['tenant', 'recent'];

export const tallyOf = (calls: readonly CountedCall[], jobs: number, invoked: Invoked, fairQueues: boolean): Tally => {
  const sums = { calls: new Map<string, number>(), writeUnits: new Map<string, number>() };
  const add = (to: Map<string, number>, name: string, n: number) => to.set(name, (to.get(name) ?? 0) + n);
  for (const call of calls) {
    add(sums.calls, `${call.by} ${call.kind}${call.refused ? ' refused' : ''}`, 1);
    for (const [name, units] of Object.entries(call.writeUnits)) add(sums.writeUnits, name, units);
  }
  if (invoked.consumer > 0) {
    add(sums.calls, 'mapping sqs:ReceiveMessage', invoked.consumer);
    add(sums.calls, 'mapping sqs:DeleteMessageBatch', invoked.consumer);
  }
  const perJob = (of: ReadonlyMap<string, number>): Record<string, number> =>
    Object.fromEntries(
      [...of].sort(([left], [right]) => left.localeCompare(right)).map(([name, n]) => [name, n / jobs]),
    );
  const byKind = perJob(sums.calls);
  const writeUnits = perJob(sums.writeUnits);
  const readUnits = calls.reduce((total, call) => total + call.readUnits, 0) / jobs;
  const sum = (record: Record<string, number>, fits: (name: string) => boolean = () => true) =>
    Object.entries(record).reduce((total, [name, n]) => total + (fits(name) ? n : 0), 0);
  const sqsRequests = sum(byKind, (name) => name.includes(' sqs:'));
  const writeUnitsTotal = sum(writeUnits);
  const usage: Usage = {
    writeUnits: writeUnitsTotal,
    readUnits,
    sqsRequests,
    fairQueueRequests: fairQueues ? sqsRequests : 0,
    lambdaRequests: (invoked.api + invoked.consumer) / jobs,
    apiRequests: invoked.api / jobs,
  };
  const lists = sum(writeUnits, (name) => listIndexes.includes(name));
  return {
    jobs,
    calls: byKind,
    callsTotal: sum(byKind),
    writeUnits,
    writeUnitsTotal,
    readUnits,
    sqsRequests,
    dollars: priceOf(usage),
    dollarsWithoutLists: priceOf({ ...usage, writeUnits: writeUnitsTotal - lists }),
  };
};
