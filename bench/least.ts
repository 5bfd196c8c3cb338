import type { Tally } from './tally.ts';

/** The least calls that a job can take with these guarantees, when batches are full, and what every other call is for. */
const lines: readonly { readonly call: string; readonly least: number; readonly why: string }[] = [
  { call: 'api dynamodb:UpdateItem', least: 1, why: 'take the slot' },
  { call: 'api dynamodb:UpdateItem refused', least: 0, why: 'a shard that was tried and is full' },
  { call: 'api dynamodb:PutItem', least: 1, why: 'put the record' },
  { call: 'api sqs:SendMessage', least: 1, why: 'send the message' },
  { call: 'api dynamodb:GetItem', least: 0, why: 'look at the control item: once a second an instance at most' },
  { call: 'api dynamodb:BatchGetItem', least: 0, why: 'look at the shards: once a second an instance at most' },
  { call: 'api sqs:GetQueueAttributes', least: 0, why: 'look at the backlog: once a second an instance at most' },
  {
    call: 'consumer dynamodb:UpdateItem',
    least: 1.1,
    why: 'start the job; free the slots of a batch, one call a shard that they lie in',
  },
  { call: 'consumer dynamodb:UpdateItem refused', least: 0, why: 'a start that was refused' },
  { call: 'consumer dynamodb:TransactWriteItems', least: 1, why: 'finish, with the effect' },
  { call: 'mapping sqs:ReceiveMessage', least: 0.1, why: 'receive, ten at a time' },
  { call: 'mapping sqs:DeleteMessageBatch', least: 0.1, why: 'acknowledge, ten at a time' },
];

export const leastCalls = lines.reduce((sum, line) => sum + line.least, 0);

export interface Separation {
  readonly call: string;
  readonly why: string;
  readonly least: number;
  readonly counted: number;
}

/** Line by line, what lies between the counted calls and the least. A call that is not known here has no excuse. */
export const separationOf = ({ calls }: Tally): readonly Separation[] => [
  ...lines.map(({ call, least, why }) => ({ call, why, least, counted: calls[call] ?? 0 })),
  ...Object.entries(calls)
    .filter(([call]) => !lines.some((line) => line.call === call))
    .map(([call, counted]) => ({ call, why: 'not expected', least: 0, counted })),
];
