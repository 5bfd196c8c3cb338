import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { type AttributeValue, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, inject } from 'vitest';
import { emulatorRegion } from '../../../localstack/places.ts';
import { reachableApiUrl } from '../../../localstack/workarounds.ts';
import { ApiClient } from '../system/client.ts';
import { eventually } from '../system/eventually.ts';
import { connectionTo } from '../workers/place.ts';

const endpoint = inject('releaseEndpoint');
const connection = connectionTo({ endpointUrl: endpoint, region: emulatorRegion });
const dynamo = new DynamoDBClient(connection);
const sqs = new SQSClient(connection);
const lambda = new LambdaClient(connection);
const formation = new CloudFormationClient(connection);

/** Outputs of a stack; undefined if there is none of that name. */
export const outputsOf = async (StackName: string): Promise<Readonly<Record<string, string>> | undefined> => {
  try {
    const { Stacks } = await formation.send(new DescribeStacksCommand({ StackName }));
    return Object.fromEntries((Stacks?.[0]?.Outputs ?? []).map((o) => [o.OutputKey ?? '', o.OutputValue ?? '']));
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
};

/** A kept item, which has bytes in base64. */
export type KeptItem = Readonly<Record<string, { readonly B?: string; readonly BS?: readonly string[] }>>;

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));
const revived = (item: KeptItem): Record<string, AttributeValue> =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      if (value.B !== undefined) return [name, { B: bytes(value.B) }];
      return [name, value.BS === undefined ? (value as AttributeValue) : { BS: value.BS.map(bytes) }];
    }),
  );

/** One deployed stack: its API, and what lies behind it. */
export class DeployedSystem {
  readonly api: ApiClient;
  readonly #outputs: Readonly<Record<string, string>>;

  constructor(outputs: Readonly<Record<string, string>>) {
    this.#outputs = outputs;
    this.api = new ApiClient(reachableApiUrl(endpoint, outputs['ApiUrl'] ?? ''));
  }

  async put(item: KeptItem): Promise<void> {
    await dynamo.send(new PutItemCommand({ TableName: this.#outputs['JobsTableName'], Item: revived(item) }));
  }

  async send(to: 'QueueUrl' | 'DeadLetterQueueUrl', MessageBody: string): Promise<void> {
    await sqs.send(new SendMessageCommand({ QueueUrl: this.#outputs[to], MessageBody }));
  }

  /** A run of the reconciler; its report as text. Throws when the function did. */
  async reconcile(): Promise<string> {
    const FunctionName = this.#outputs['ReconcileFunctionName'];
    const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName }));
    const text = Payload?.transformToString() ?? '';
    if (FunctionError !== undefined) throw new Error(`The reconciler failed: ${text}`);
    return text;
  }

  /** Shards, control item and the reconciler's memory, as text: what a test that failed wants to know. */
  async registry(): Promise<string> {
    const ids = ['control', 'reconciler', ...Array.from({ length: 8 }, (_, i) => `slots#${i}`)];
    const found = await Promise.all(
      ids.map((id) =>
        dynamo.send(new GetItemCommand({ TableName: this.#outputs['JobsTableName'], Key: { id: { S: id } } })),
      ),
    );
    const asHex = (_: string, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
    return found.map(({ Item }) => JSON.stringify(Item, asHex)).join('\n');
  }

  /** How often something was credited to an account of the ledger. */
  async writesTo(account: string): Promise<number> {
    const Key = { account: { S: account } };
    const { Item } = await dynamo.send(new GetItemCommand({ TableName: this.#outputs['LedgerTableName'], Key }));
    return Number(Item?.['writes']?.N ?? 0);
  }

  /** Waits until a job has succeeded; the reconciler runs by hand meanwhile, as its schedule would take minutes. */
  async succeeded(id: string): Promise<void> {
    await eventually(
      async () => {
        const { body } = await this.api.job(id);
        if (body.state !== 'succeeded') await this.reconcile();
        expect(body).toMatchObject({ id, state: 'succeeded' });
      },
      { withinMs: 45_000, everyMs: 300 },
    );
  }
}
