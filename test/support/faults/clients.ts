import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { inject } from 'vitest';
import { type PeekedMessage, peekQueue } from '../../../localstack/peek.ts';
import { describeSchema } from '../describe-schema.ts';
import { connectionTo, freshPlace, type Place } from '../workers/place.ts';
import { currentActor } from './actor.ts';
import { heldBack } from './held-back.ts';

/*
 * The SDK's clients as the functions have them, with two things more: each try of a call goes by the actor that makes it,
 * and waiting takes no time. Calls outside of any actor are the test's own and go through untouched.
 */
const outputs = inject('localOutputs');
const { jobsTableName } = outputs;
const connection = {
  ...connectionTo(outputs),
  maxAttempts: 3,
  // Nobody looks at signatures here, and they are a quarter of what a call costs.
  signer: { sign: async <T>(request: T) => request },
};

type AnyClient = DynamoDBClient | SQSClient | LambdaClient;

const underFaults = async <C extends AnyClient>(client: C): Promise<C> => {
  // The three stacks differ in their types only; the union of them cannot be called.
  const stack = client.middlewareStack as DynamoDBClient['middlewareStack'];
  stack.add(
    (next, context) => {
      const actor = currentActor.getStore();
      if (actor === undefined) return next;
      const call = actor.meet(context.commandName ?? 'unknown');
      let tries = 0;
      return (args) => {
        tries += 1;
        return actor.carry(call, tries, () => next(args));
      };
    },
    { step: 'finalizeRequest', priority: 'low', name: 'faults' },
  );
  // The SDK's own judgement of what is repeated, and how often, without its pause and its bound over many calls.
  const strategy = (await client.config.retryStrategy()) as unknown as Record<string, unknown>;
  strategy['retryBackoffStrategy'] = { setDelayBase: () => undefined, computeNextBackoffDelay: () => 0 };
  Object.defineProperty(strategy, 'capacity', { get: () => Number.POSITIVE_INFINITY, set: () => undefined });
  return client;
};

export const dynamo = await underFaults(new DynamoDBClient(connection));
export const sqs = await underFaults(heldBack(new SQSClient(connection)));

/** The mapping is not asked for: it belongs to the deployed consumer. Each call is answered with the state told here. */
export const lambdaWith = async (State: string): Promise<LambdaClient> => {
  const client = await underFaults(new LambdaClient(connection));
  client.middlewareStack.add(() => async () => ({ response: {}, output: { $metadata: {}, State } as never }), {
    step: 'deserialize',
    priority: 'high',
    name: 'mappingState',
  });
  return client;
};

const schema = describeSchema(dynamo, jobsTableName);

/** Table and queues of one case. The ledger is shared: each job of a case has an account of its own. */
export const freshResources = async (maxReceiveCount: number, visibilitySeconds: number): Promise<Place> =>
  freshPlace(outputs, { dynamo, sqs }, { name: 'faults', schema: await schema, maxReceiveCount, visibilitySeconds });

/** All messages of a queue, hidden ones too, without receiving them, which would hide them and count. */
export const peek = (queueUrl: string): Promise<readonly PeekedMessage[]> => peekQueue(outputs, queueUrl);
