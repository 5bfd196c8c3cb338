import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { changeVariables } from '#test/support/function-variables.ts';
import { emulatorCredentials, emulatorRegion } from '../localstack/places.ts';
import { ApiClient } from '../operator/client.ts';
import { until } from './wait.ts';

/** What both builds have, so that one set of rounds drives either. */
export interface Deployed {
  readonly name: 'sluice' | 'peer';
  readonly endpointUrl: string;
  readonly apiUrl: string;
  readonly queueUrl: string;
  /** Where a job's state and the time of its last change lie. */
  readonly statusTable: string;
  readonly apiFunction: string;
  readonly consumerFunction: string;
  readonly mappingId: string;
}

/** How often a function ran in a span of time, and for how long all in all. */
export interface Invocations {
  readonly count: number;
  readonly milliseconds: number;
}

/** A deployed build: its API as any client calls it; around it what the bench switches and looks at. */
export class System {
  readonly deployed: Deployed;
  readonly api: ApiClient;
  readonly #lambda: LambdaClient;
  readonly #sqs: SQSClient;
  readonly #dynamo: DynamoDBClient;
  readonly #logs: CloudWatchLogsClient;

  constructor(deployed: Deployed) {
    const config = { endpoint: deployed.endpointUrl, region: emulatorRegion, credentials: emulatorCredentials };
    this.deployed = deployed;
    this.api = new ApiClient({ apiUrl: deployed.apiUrl, region: emulatorRegion, credentials: emulatorCredentials });
    this.#lambda = new LambdaClient(config);
    this.#sqs = new SQSClient(config);
    this.#dynamo = new DynamoDBClient(config);
    this.#logs = new CloudWatchLogsClient(config);
  }

  get name(): 'sluice' | 'peer' {
    return this.deployed.name;
  }

  /** Submits one job and returns how long the answer took (ms). Throws on any answer but `202`. */
  async submit(key: string, account: string): Promise<number> {
    const at = performance.now();
    const { status, text } = await this.api.submit(key, 'ledger.credit', { account, amount: 1 });
    const took = performance.now() - at;
    if (status !== 202) throw new Error(`${this.name} answered ${status}: ${text}`);
    return took;
  }

  async consume(enabled: boolean): Promise<void> {
    await this.#lambda.send(new UpdateEventSourceMappingCommand({ UUID: this.deployed.mappingId, Enabled: enabled }));
  }

  /** Gives a function another endpoint for its calls; its workers start anew. */
  async route(functionName: string, endpoint: string): Promise<void> {
    const on = { endpointUrl: this.deployed.endpointUrl, region: emulatorRegion };
    await changeVariables(on, [functionName], (before) => ({
      ...before,
      AWS_ENDPOINT_URL: endpoint,
      // The SDK may take the host of a queue's URL for the endpoint.
      ...Object.fromEntries(
        ['QUEUE_URL', 'DEAD_LETTER_QUEUE_URL'].flatMap((name) => {
          const url = before[name];
          return url === undefined ? [] : [[name, `${endpoint}${new URL(url).pathname}`]];
        }),
      ),
    }));
  }

  /** Waits until no message is left; a twentieth of a second for each of `jobs`, beyond two minutes. */
  async drained(jobs = 0): Promise<void> {
    await until(`${this.name}: an empty queue`, 120 + jobs / 20, async () => {
      const { Attributes = {} } = await this.#sqs.send(
        new GetQueueAttributesCommand({
          QueueUrl: this.deployed.queueUrl,
          AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
        }),
      );
      return Object.values(Attributes).every((count) => count === '0');
    });
  }

  /** When the jobs whose keys start so have ended (epoch ms), in order. Throws if one of them has not. */
  async endsOf(keyStart: string): Promise<readonly number[]> {
    const ends: number[] = [];
    let from: Record<string, never> | undefined;
    do {
      const page = await this.#dynamo.send(
        new ScanCommand({
          TableName: this.deployed.statusTable,
          FilterExpression: 'begins_with(#key, :start)',
          ExpressionAttributeNames: { '#key': 'key' },
          ExpressionAttributeValues: { ':start': { S: keyStart } },
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      for (const item of page.Items ?? []) {
        if (item['state']?.S !== 'succeeded') throw new Error(`${this.name}: a job is ${item['state']?.S}`);
        ends.push(Number(item['updatedAt']?.N));
      }
      from = page.LastEvaluatedKey as typeof from;
    } while (from);
    return ends.sort((a, b) => a - b);
  }

  /** The invocations of a function since then, from the lines that Lambda itself writes at the end of each. */
  async invocations(functionName: string, since: number): Promise<Invocations> {
    const { LoggingConfig } = await this.#lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: functionName }),
    );
    const logGroupName = LoggingConfig?.LogGroup ?? `/aws/lambda/${functionName}`;
    let count = 0;
    let milliseconds = 0;
    let nextToken: string | undefined;
    do {
      const page = await this.#logs.send(
        new FilterLogEventsCommand({ logGroupName, startTime: since, limit: 10_000, nextToken }),
      );
      for (const { message = '' } of page.events ?? []) {
        const duration = /^REPORT RequestId: .*?\tDuration: ([\d.]+) ms/.exec(message)?.[1];
        if (duration === undefined) continue;
        count += 1;
        milliseconds += Number(duration);
      }
      nextToken = page.nextToken;
    } while (nextToken);
    return { count, milliseconds };
  }
}
