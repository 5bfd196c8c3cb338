import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { until } from '../../../localstack/demo/stage.ts';
import type { LocalOutputs } from '../../../localstack/outputs.ts';
import { type PeekedMessage, peekQueue } from '../../../localstack/peek.ts';
import { emulatorCredentials } from '../../../localstack/places.ts';
import { type Answer, ApiClient } from '../../../operator/client.ts';

/** What drills read of a job, or of the problem that came instead; the contract has more. */
export interface SeenJob {
  readonly id: string;
  /** A stray has none. */
  readonly key?: string;
  readonly state: string;
  readonly attempt: number;
  readonly starts: number;
  readonly tenant: string;
  readonly stale?: true;
  readonly submittedAt: string;
  readonly updatedAt: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly reason?: string | { readonly code: string };
  readonly code?: string;
  readonly detail?: string;
  readonly history: readonly {
    readonly event: string;
    readonly at: string;
    readonly detail?: { readonly code?: string };
  }[];
}

export interface SeenStatus {
  readonly capacity: number;
  readonly inFlight: {
    readonly total: number;
    readonly queued: number | null;
    readonly running: number | null;
    readonly retrying: number | null;
  };
  readonly backlog: { readonly visible: number; readonly notVisible: number; readonly delayed: number };
  readonly consumer: string;
}

const endSeconds = 45;

export const backlogOf = ({ backlog }: SeenStatus): number => backlog.visible + backlog.notVisible + backlog.delayed;

/**
 * A deployed system under drill. All that it is asked to do goes through its API; tables, queues and logs are read to see
 * what came of it, and written only to bring a fault about.
 */
export class System {
  readonly outputs: LocalOutputs;
  readonly #client: ApiClient;
  readonly #dynamo: DynamoDBClient;
  readonly #logs: CloudWatchLogsClient;
  readonly #lambda: LambdaClient;
  readonly #sqs: SQSClient;
  readonly #trace: (line: string) => void;

  constructor(outputs: LocalOutputs, trace: (line: string) => void) {
    this.outputs = outputs;
    this.#trace = trace;
    const config = { region: outputs.region, endpoint: outputs.endpointUrl, credentials: emulatorCredentials };
    this.#client = new ApiClient({ apiUrl: outputs.apiUrl, region: outputs.region, credentials: emulatorCredentials });
    this.#dynamo = new DynamoDBClient(config);
    this.#logs = new CloudWatchLogsClient(config);
    this.#lambda = new LambdaClient(config);
    this.#sqs = new SQSClient(config);
  }

  async call<Body>(method: 'GET' | 'POST', path: `/${string}`, body?: unknown, headers?: Record<string, string>) {
    const from = Date.now();
    const answer = await this.#client.call<Body>(method, path, body, headers);
    this.#trace(`${method} ${path} → ${answer.status} (${Date.now() - from} ms)`);
    return answer;
  }

  submit(key: string, type: string, payload: unknown, options?: unknown): Promise<Answer<SeenJob>> {
    const body = { type, payload, ...(options !== undefined && { options }) };
    return this.call<SeenJob>('POST', '/jobs', body, { 'idempotency-key': key });
  }

  /** Submits a job that has to be accepted. */
  async accepted(key: string, type: string, payload: unknown, options?: unknown): Promise<SeenJob> {
    const answer = await this.submit(key, type, payload, options);
    if (answer.status !== 202) throw new Error(`expected 202 for ${key}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async job(id: string): Promise<SeenJob> {
    return (await this.call<SeenJob>('GET', `/jobs/${id}`)).body;
  }

  /** Waits until the job is in this state. */
  reaches(id: string, state: string, seconds = endSeconds): Promise<SeenJob> {
    return until(
      `job ${id} ${state}`,
      seconds,
      () => this.job(id),
      (job) => job.state === state,
    );
  }

  async status(): Promise<SeenStatus> {
    return (await this.call<SeenStatus>('GET', '/operator/status')).body;
  }

  /** Waits until the status fits. */
  statusFits(what: string, fits: (status: SeenStatus) => boolean, seconds = endSeconds): Promise<SeenStatus> {
    return until(what, seconds, () => this.status(), fits);
  }

  async setCapacity(capacity: number): Promise<void> {
    await this.call('POST', '/operator/capacity', { capacity });
  }

  /** Pauses or resumes the deployed consumer, and waits until it is so. */
  async setConsumer(state: 'running' | 'paused'): Promise<void> {
    const ask = async () => (await this.call<SeenStatus>('POST', '/operator/consumer', { state })).body;
    await until(`consumer ${state}`, endSeconds, ask, (status) => status.consumer === state);
  }

  async dead(): Promise<readonly SeenJob[]> {
    return (await this.call<{ jobs: SeenJob[] }>('GET', '/operator/dead?limit=100')).body.jobs;
  }

  /** What the account's item in the ledger says; nothing yet is zero. */
  async ledger(account: string): Promise<{ total: number; writes: number }> {
    const Key = { account: { S: account } };
    const { Item } = await this.#dynamo.send(
      new GetItemCommand({ TableName: this.outputs.ledgerTableName, Key, ConsistentRead: true }),
    );
    return { total: Number(Item?.['total']?.N ?? 0), writes: Number(Item?.['writes']?.N ?? 0) };
  }

  /** One run of the reconciler now, instead of within the minute. */
  async reconcile(): Promise<void> {
    const { Payload } = await this.#lambda.send(
      new InvokeCommand({ FunctionName: this.outputs.reconcileFunctionName }),
    );
    this.#trace(`reconciler → ${Buffer.from(Payload ?? []).toString()}`);
  }

  /** Puts a body that need not be one of ours into the main queue; returns the message's id. */
  async sendRaw(body: string): Promise<string> {
    const { MessageId } = await this.#sqs.send(
      new SendMessageCommand({ QueueUrl: this.outputs.queueUrl, MessageBody: body }),
    );
    return MessageId ?? '';
  }

  /** All messages of a queue, hidden ones too, without receiving them. */
  peek(queueUrl: string): Promise<readonly PeekedMessage[]> {
    return peekQueue(this.outputs, queueUrl);
  }

  /** The consumer's structured log lines and metric lines since a moment (epoch ms). */
  async consumerLog(since: number): Promise<readonly Record<string, unknown>[]> {
    const FunctionName = this.outputs.consumerFunctionName;
    const { LoggingConfig } = await this.#lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    const logGroupName = LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`;
    const { events = [] } = await this.#logs.send(
      new FilterLogEventsCommand({ logGroupName, startTime: since, limit: 10_000 }),
    );
    return events.flatMap(({ message = '' }) => (message.startsWith('{') ? [JSON.parse(message)] : []));
  }
}
