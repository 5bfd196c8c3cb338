import { randomBytes } from 'node:crypto';
import { CreateTableCommand, type CreateTableCommandInput, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { LocalOutputs } from '../../../localstack/outputs.ts';
import { emulatorCredentials } from '../../../localstack/places.ts';

/** Tables and queues to work on: those of a deployed stack, or fresh ones. */
export type Place = Pick<
  LocalOutputs,
  'endpointUrl' | 'region' | 'jobsTableName' | 'ledgerTableName' | 'queueUrl' | 'deadLetterQueueUrl'
>;

export const connectionTo = ({ endpointUrl, region }: Pick<Place, 'endpointUrl' | 'region'>) => ({
  endpoint: endpointUrl,
  region,
  credentials: emulatorCredentials,
});

export interface FreshOptions {
  /** In the names of what is made. */
  readonly name: string;
  /** Of the table of jobs; see `describeSchema`. */
  readonly schema: CreateTableCommandInput;
  readonly maxReceiveCount: number;
  readonly visibilitySeconds: number;
}

/**
 * A table of jobs and queues beside the deployed ones, which nobody else works on; the emulator has them ready at once.
 * The ledger is the deployed one: whoever works here has accounts of his own.
 */
export const freshPlace = async (
  beside: Place,
  { dynamo, sqs }: { readonly dynamo: DynamoDBClient; readonly sqs: SQSClient },
  options: FreshOptions,
): Promise<Place> => {
  const name = `${options.name}-${randomBytes(8).toString('hex')}`;
  const queue = async (QueueName: string, Attributes: Record<string, string>): Promise<string> => {
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    return QueueUrl;
  };
  const [deadLetterQueueUrl] = await Promise.all([
    queue(`${name}-dead`, {}),
    dynamo.send(new CreateTableCommand({ ...options.schema, TableName: name })),
  ]);
  const queueUrl = await queue(name, {
    VisibilityTimeout: String(options.visibilitySeconds),
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: `arn:aws:sqs:${beside.region}:000000000000:${name}-dead`,
      maxReceiveCount: options.maxReceiveCount,
    }),
  });
  const { endpointUrl, region, ledgerTableName } = beside;
  return { endpointUrl, region, jobsTableName: name, ledgerTableName, queueUrl, deadLetterQueueUrl };
};
