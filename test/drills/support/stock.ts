import { randomBytes } from 'node:crypto';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Context } from 'aws-lambda';
import type { LocalOutputs } from '../../../localstack/outputs.ts';
import { emulatorCredentials } from '../../../localstack/places.ts';

/** The request that every delivery carries. */
export interface StockRequest {
  readonly key: string;
  readonly account: string;
  readonly amount: number;
}

/** How long a stock record in progress is believed, as a Lambda with so much time left would have it. */
const inProgressSeconds = 1;

/**
 * Tables of a service that is built without this product: a ledger, and the idempotency table that Powertools documents.
 * They are real tables on the drill's emulator, made for one drill and removed by it.
 */
export class StockTables {
  readonly #client: DynamoDBClient;
  readonly #ledger: string;
  readonly #records: string;

  private constructor(client: DynamoDBClient, suffix: string) {
    this.#client = client;
    this.#ledger = `drill-ledger-${suffix}`;
    this.#records = `drill-records-${suffix}`;
  }

  static async create({ endpointUrl: endpoint, region }: LocalOutputs): Promise<StockTables> {
    const client = new DynamoDBClient({ endpoint, region, credentials: emulatorCredentials });
    const tables = new StockTables(client, randomBytes(4).toString('hex'));
    for (const [TableName, AttributeName] of [
      [tables.#ledger, 'account'],
      [tables.#records, 'id'],
    ] as const) {
      await client.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          KeySchema: [{ AttributeName, KeyType: 'HASH' }],
          AttributeDefinitions: [{ AttributeName, AttributeType: 'S' }],
        }),
      );
    }
    return tables;
  }

  async remove(): Promise<void> {
    for (const TableName of [this.#ledger, this.#records]) {
      await this.#client.send(new DeleteTableCommand({ TableName }));
    }
  }

  /** The effect, as a call of its own: nothing ties it to any record. */
  async credit({ account, amount }: StockRequest): Promise<void> {
    await this.#client.send(
      new UpdateItemCommand({
        TableName: this.#ledger,
        Key: { account: { S: account } },
        UpdateExpression: 'ADD #total :amount, writes :one',
        ExpressionAttributeNames: { '#total': 'total' },
        ExpressionAttributeValues: { ':amount': { N: String(amount) }, ':one': { N: '1' } },
      }),
    );
  }

  async ledger(account: string): Promise<{ total: number; writes: number }> {
    const { Item } = await this.#client.send(
      new GetItemCommand({ TableName: this.#ledger, Key: { account: { S: account } }, ConsistentRead: true }),
    );
    return { total: Number(Item?.['total']?.N ?? 0), writes: Number(Item?.['writes']?.N ?? 0) };
  }

  /** A worker as Powertools' documentation builds it: the stock layer and `makeIdempotent` around all of the work. */
  worker(work: (request: StockRequest) => Promise<unknown>): (request: StockRequest) => Promise<unknown> {
    const config = new IdempotencyConfig({});
    config.registerLambdaContext({ getRemainingTimeInMillis: () => inProgressSeconds * 1_000 } as Context);
    const persistenceStore = new DynamoDBPersistenceLayer({
      tableName: this.#records,
      awsSdkV3Client: this.#client,
    });
    return makeIdempotent(work, { persistenceStore, config, keyPrefix: 'stock' });
  }

  /** What the one record of the idempotency table holds as the result of the work. */
  async storedResult(): Promise<unknown> {
    const { Items = [] } = await this.#client.send(new ScanCommand({ TableName: this.#records, ConsistentRead: true }));
    return Items[0] && unmarshall(Items[0])['data'];
  }

  /** Whether a request was marked as processed; the naive check of a service that guards by hand. */
  async isProcessed(key: string): Promise<boolean> {
    const { Item } = await this.#client.send(
      new GetItemCommand({ TableName: this.#records, Key: { id: { S: key } }, ConsistentRead: true }),
    );
    return Item !== undefined;
  }

  async markProcessed(key: string): Promise<void> {
    await this.#client.send(new PutItemCommand({ TableName: this.#records, Item: { id: { S: key } } }));
  }
}
