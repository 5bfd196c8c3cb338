import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type Answer, ApiClient } from '../../operator/client.ts';
import type { LocalOutputs } from '../outputs.ts';
import { emulatorCredentials } from '../places.ts';

/** What the demo reads of a job; the contract has more. */
export interface DemoJob {
  readonly id: string;
  readonly state: string;
  readonly attempt: number;
  readonly starts: number;
  readonly redrives: number;
  readonly updatedAt: string;
  readonly reason?: { readonly code: string };
  readonly code?: string;
  readonly history: readonly {
    readonly event: string;
    readonly at: string;
    readonly detail?: { readonly waitSeconds?: number };
  }[];
}

export interface DemoStatus {
  readonly intake: string;
  readonly capacity: number;
  readonly inFlight: { readonly total: number };
  readonly backlog: { readonly visible: number; readonly notVisible: number; readonly delayed: number };
  readonly consumer: string;
}

/** The deployed stack as the demo sees it: the API for all that it does, the tables and logs only to look at effects. */
export class Stage {
  readonly #outputs: LocalOutputs;
  readonly #client: ApiClient;
  readonly #dynamo: DynamoDBClient;
  readonly #logs: CloudWatchLogsClient;
  readonly #lambda: LambdaClient;

  constructor(outputs: LocalOutputs) {
    this.#outputs = outputs;
    const config = { region: outputs.region, endpoint: outputs.endpointUrl, credentials: emulatorCredentials };
    this.#client = new ApiClient({ apiUrl: outputs.apiUrl, region: outputs.region, credentials: emulatorCredentials });
    this.#dynamo = new DynamoDBClient(config);
    this.#logs = new CloudWatchLogsClient(config);
    this.#lambda = new LambdaClient(config);
  }

  submit(key: string, type: string, payload: unknown): Promise<Answer<DemoJob>> {
    return this.#client.submit<DemoJob>(key, type, payload);
  }

  /** Submits what must be accepted: a refusal for want of room is followed as `Retry-After` says, as any client would. */
  async accept(key: string, type: string, payload: unknown): Promise<Answer<DemoJob>> {
    return until(
      `${key} accepted`,
      30,
      async () => {
        const answer = await this.submit(key, type, payload);
        const retryAfter = Number(answer.headers.get('retry-after') ?? 0);
        if (answer.status === 429) await new Promise((resolve) => setTimeout(resolve, retryAfter * 1_000));
        return answer;
      },
      (answer) => answer.status !== 429,
    );
  }

  async job(id: string): Promise<DemoJob> {
    return (await this.#client.call<DemoJob>('GET', `/jobs/${id}`)).body;
  }

  async status(): Promise<DemoStatus> {
    return (await this.#client.call<DemoStatus>('GET', '/operator/status')).body;
  }

  operate<Body = unknown>(path: `/operator/${string}`, body: unknown): Promise<Answer<Body>> {
    return this.#client.call<Body>('POST', path, body);
  }

  async dead(): Promise<readonly DemoJob[]> {
    return (await this.#client.call<{ jobs: DemoJob[] }>('GET', '/operator/dead?limit=100')).body.jobs;
  }

  /** What the account's item in the ledger says; nothing yet is zero. */
  async ledger(account: string): Promise<{ total: number; writes: number }> {
    const { Item } = await this.#dynamo.send(
      new GetItemCommand({
        TableName: this.#outputs.ledgerTableName,
        Key: { account: { S: account } },
        ConsistentRead: true,
      }),
    );
    return { total: Number(Item?.['total']?.N ?? 0), writes: Number(Item?.['writes']?.N ?? 0) };
  }

  /** The waits after which lost acknowledgements of this job came back, from the consumer's log. */
  async lostAckWaits(jobId: string): Promise<readonly number[]> {
    const { LoggingConfig } = await this.#lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: this.#outputs.consumerFunctionName }),
    );
    const logGroupName = LoggingConfig?.LogGroup ?? `/aws/lambda/${this.#outputs.consumerFunctionName}`;
    const { events = [] } = await this.#logs.send(new FilterLogEventsCommand({ logGroupName, limit: 10_000 }));
    return events
      .filter((event) => event.message?.includes('AckLost') && event.message.includes(jobId))
      .map((event) => Number(/"waitSeconds":(\d+)/.exec(event.message ?? '')?.[1]));
  }

  /** Runs the reconciler now instead of within the minute. */
  async reconcile(): Promise<void> {
    await this.#lambda.send(new InvokeCommand({ FunctionName: this.#outputs.reconcileFunctionName }));
  }
}

/** Asks until the answer fits, or throws with the last answer once `seconds` are over. */
export const until = async <T>(
  what: string,
  seconds: number,
  ask: () => Promise<T>,
  fits: (answer: T) => boolean,
): Promise<T> => {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`${what}: not within ${seconds} s; the last answer was ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
