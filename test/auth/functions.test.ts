import {
  BatchGetItemCommand,
  DeleteTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import {
  DeleteMessageCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient, Credentials } from '#test/support/system/client.ts';
import { eventually } from '#test/support/system/eventually.ts';
import type { LocalOutputs } from '../../localstack/outputs.ts';
import { emulatorCredentials } from '../../localstack/places.ts';
import { clientOf, connection, functionSession, identities, outputs } from './support/stage.ts';

/* The functions under their own rights: each can do its work, and none can do what is on its list. */

let operator: ApiClient;
let inspector: Credentials;
beforeAll(async () => {
  operator = clientOf(await identities.user('all-rounder', outputs.operatePolicyArn));
  inspector = await identities.user('inspector');
});

const credit = { account: 'auth', amount: 1 };
const ended = async (id: string) => (await operator.call('GET', `/jobs/${id}?waitSeconds=20`)).body;

const reconcile = async () => {
  const lambda = new LambdaClient(connection(emulatorCredentials));
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName: outputs.reconcileFunctionName }),
  );
  const report = JSON.parse(Buffer.from(Payload ?? []).toString());
  expect({ FunctionError, ran: report.ran }).toEqual({ FunctionError: undefined, ran: true });
};

describe('each function can do its work', () => {
  test('submit, run, succeed: with a payload that lies apart, in numbers, and replayed', async () => {
    const { status, body } = await operator.submit('one', 'ledger.credit', credit);
    expect(status).toBe(202);
    expect(await ended(body.id)).toMatchObject({ state: 'succeeded', result: { credited: 1 } });
    expect((await operator.submit('one', 'ledger.credit', credit)).status).toBe(200);
    const url = 'https://nowhere.invalid/';
    const apart = await operator.submit('apart', 'webhook.deliver', { url, body: { pad: 'x'.repeat(2_000) } });
    expect(await ended(apart.body.id)).toMatchObject({ state: 'dead', reason: { code: 'permanent-error' } });
    const jobs = ['a', 'b', 'c'].map((key) => ({ key, type: 'ledger.credit', payload: credit }));
    const { results } = (await operator.call('POST', '/jobs/batch', { jobs })).body;
    for (const { job } of results) expect((await ended(job.id)).state).toBe('succeeded');
    for (const path of ['/jobs', '/operator/jobs']) {
      expect((await operator.call('GET', path)).body.jobs.length).toBeGreaterThan(4);
    }
  });

  test('retry, die, be listed, redriven, discarded', async () => {
    const { id } = (await operator.submit('dies', 'test.scripted', { ...credit, permanent: true })).body;
    expect((await ended(id)).state).toBe('dead');
    expect((await operator.dead()).body.jobs.map((job: { id: string }) => job.id)).toContain(id);
    expect((await operator.redrive({ ids: [id] })).body).toMatchObject({ moved: 1 });
    expect(await ended(id)).toMatchObject({ state: 'dead', redrives: 1 });
    expect((await operator.call('POST', '/operator/dead/discard', { ids: [id] })).body).toMatchObject({ moved: 1 });
    const retried = (await operator.submit('retries', 'test.scripted', { ...credit, failBefore: 1 })).body.id;
    expect(await ended(retried)).toMatchObject({ state: 'succeeded', attempt: 2 });
  });

  test('pause, resume, close, open, set the capacity', async () => {
    const set = async (path: string, body: object) => (await operator.call('POST', `/operator/${path}`, body)).body;
    expect((await set('capacity', { capacity: 64 })).capacity).toBe(64);
    await eventually(async () => expect((await set('consumer', { state: 'paused' })).consumer).toBe('paused'));
    await eventually(async () => expect((await set('consumer', { state: 'running' })).consumer).toBe('running'));
    expect((await set('intake', { state: 'closed', mode: 'cancel' })).intake).toMatch(/^drain/);
    expect((await set('intake', { state: 'open' })).intake).toBe('open');
    expect((await set('capacity', { capacity: 100 })).capacity).toBe(100);
  });

  test('reconcile, sweeping a stray', async () => {
    const sqs = new SQSClient(connection(emulatorCredentials));
    const listed = async (): Promise<readonly string[]> => {
      const { jobs } = (await operator.dead({ reason: 'unreadable' })).body;
      return jobs.map(({ id }: { id: string }) => id);
    };
    const before = await listed();
    for (const QueueUrl of [outputs.queueUrl, outputs.deadLetterQueueUrl]) {
      await sqs.send(new PurgeQueueCommand({ QueueUrl }));
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'no message of ours' }));
    }
    await eventually(async () => {
      await reconcile();
      expect((await listed()).filter((id) => !before.includes(id))).toHaveLength(2);
    });
  });
});

/**
 * Everything that some function must not do, by a name that says it. One is not here: the emulator lets everybody pause the
 * consumer (UpdateEventSourceMapping). That only the operator may do so is held by test/infra/rights.test.ts.
 */
const deeds = {
  'read the ledger': (s, c) =>
    new DynamoDBClient(c).send(new GetItemCommand({ TableName: s.ledgerTableName, Key: { account: { S: 'auth' } } })),
  'write to the ledger': (s, c) =>
    new DynamoDBClient(c).send(new PutItemCommand({ TableName: s.ledgerTableName, Item: { account: { S: 'evil' } } })),
  'update the ledger': (s, c) =>
    new DynamoDBClient(c).send(
      new UpdateItemCommand({ TableName: s.ledgerTableName, Key: { account: { S: 'evil' } } }),
    ),
  'scan the jobs': (s, c) => new DynamoDBClient(c).send(new ScanCommand({ TableName: s.jobsTableName })),
  'drop the jobs': (s, c) => new DynamoDBClient(c).send(new DeleteTableCommand({ TableName: s.jobsTableName })),
  'read many records': (s, c) =>
    new DynamoDBClient(c).send(
      new BatchGetItemCommand({ RequestItems: { [s.jobsTableName]: { Keys: [{ id: { S: 'x' } }] } } }),
    ),
  'list the dead': (s, c) => query(s, c, 'dead', 'deadBucket'),
  'list the jobs of all': (s, c) => query(s, c, 'recent', 'recentBucket'),
  'list the jobs of a tenant': (s, c) => query(s, c, 'tenant', 'tenantBucket'),
  'receive jobs': (s, c) => new SQSClient(c).send(new ReceiveMessageCommand({ QueueUrl: s.queueUrl })),
  'delete a job’s message': (s, c) =>
    new SQSClient(c).send(new DeleteMessageCommand({ QueueUrl: s.queueUrl, ReceiptHandle: 'x' })),
  'purge the queue': (s, c) => new SQSClient(c).send(new PurgeQueueCommand({ QueueUrl: s.queueUrl })),
  'receive dead letters': (s, c) =>
    new SQSClient(c).send(new ReceiveMessageCommand({ QueueUrl: s.deadLetterQueueUrl })),
  'send dead letters': (s, c) =>
    new SQSClient(c).send(new SendMessageCommand({ QueueUrl: s.deadLetterQueueUrl, MessageBody: 'x' })),
  'call a function': (s, c) => new LambdaClient(c).send(new InvokeCommand({ FunctionName: s.consumerFunctionName })),
  'change a function': (s, c) =>
    new LambdaClient(c).send(new UpdateFunctionConfigurationCommand({ FunctionName: s.apiFunctionName, Timeout: 1 })),
  'read a secret': (_s, c) => new SSMClient(c).send(new GetParameterCommand({ Name: '/sluice/signing' })),
} satisfies Record<string, Deed>;

type Connection = ReturnType<typeof connection>;
type Deed = (outputs: LocalOutputs, connection: Connection) => Promise<unknown>;
const query = ({ jobsTableName }: LocalOutputs, connection: Connection, IndexName: string, bucket: string) =>
  new DynamoDBClient(connection).send(
    new QueryCommand({
      TableName: jobsTableName,
      IndexName,
      KeyConditionExpression: '#b = :b',
      ExpressionAttributeNames: { '#b': bucket },
      ExpressionAttributeValues: { ':b': { S: 'x' } },
    }),
  );

type Name = keyof typeof deeds;
/** What each function may do of it; it must not do the rest. */
const allowed: Readonly<Record<'api' | 'consumer' | 'operator' | 'reconcile', readonly Name[]>> = {
  api: ['read many records', 'list the jobs of a tenant'],
  consumer: ['write to the ledger', 'update the ledger', 'receive jobs', 'delete a job’s message', 'send dead letters'],
  operator: [
    ...(['read many records', 'list the dead', 'list the jobs of all', 'list the jobs of a tenant'] as const),
    ...(['receive dead letters'] as const),
  ],
  reconcile: ['read many records', 'receive dead letters'],
};

const refusals = /AccessDenied|not authorized/;

describe.each(Object.keys(allowed) as (keyof typeof allowed)[])('the role of the function %s', (name) => {
  let session: Credentials;
  beforeAll(async () => {
    session = await functionSession(outputs[`${name}FunctionName`], 'inspector', inspector);
  });
  const attempt = async (deed: Name): Promise<string> => {
    try {
      await deeds[deed](outputs, connection(session));
      return 'done';
    } catch (error) {
      const { name: code, message } = error as Error;
      return refusals.test(`${code} ${message}`) ? 'denied' : `failed otherwise: ${code}`;
    }
  };

  test.each((Object.keys(deeds) as Name[]).filter((deed) => !allowed[name].includes(deed)))(
    'must not %s',
    async (deed) => {
      expect(await attempt(deed)).toBe('denied');
    },
  );

  test('and is asked as itself: what it may do is not denied', async () => {
    for (const deed of allowed[name]) expect({ deed, was: await attempt(deed) }).not.toEqual({ deed, was: 'denied' });
    const { jobsTableName: TableName } = outputs;
    const dynamo = new DynamoDBClient(connection(session));
    await dynamo.send(new GetItemCommand({ TableName, Key: { id: { S: 'control' } } }));
    await new SQSClient(connection(session)).send(
      new SendMessageCommand({ QueueUrl: outputs.queueUrl, MessageBody: 'x' }),
    );
  });
});
