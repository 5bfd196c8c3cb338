import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { SqsJobQueue } from '#adapters/sqs-job-queue.ts';
import { messageGroup } from '#core/identity.ts';

const message = { id: 'a'.repeat(32), fingerprint: 'b'.repeat(64), tenure: 0, scope: '1/ROLE' };
const header = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1';

/** The inputs of the calls that a queue makes, none of which is sent. */
const calls = async (config: { fairQueues?: boolean; traceHeader?: () => string | undefined }) => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  // Nothing answers, so there is no checksum to compare.
  const client = new SQSClient({ region: 'eu-west-1', credentials, md5: false });
  const inputs: unknown[] = [];
  client.middlewareStack.add(
    () => async (args) => {
      inputs.push(args.input);
      return { response: {}, output: { $metadata: {} } as never };
    },
    { step: 'initialize', priority: 'low' },
  );
  const queue = new SqsJobQueue({ client, queueUrl: 'https://queue', ...config });
  await queue.send(message, 3);
  await queue.sendMany([{ message, delaySeconds: 0 }]);
  return inputs;
};

describe('what a message says beside its body', () => {
  it('the trace of its request and the group of its tenant, alone and in a batch', async () => {
    const wanted = {
      MessageGroupId: messageGroup('1/ROLE'),
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: header } },
    };
    const [one, many] = await calls({ fairQueues: true, traceHeader: () => header });
    expect(one).toMatchObject({ DelaySeconds: 3, ...wanted });
    expect(many).toMatchObject({ Entries: [wanted] });
  });

  it('of the trace only what is an id or a number: a caller may have begun it with words of its own', async () => {
    const own = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;Lineage=1:a87bd80c:0';
    const [one, many] = await calls({ traceHeader: () => `${own};Secret=planted\n` });
    const wanted = { MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: own } } };
    expect(one).toMatchObject(wanted);
    expect(many).toMatchObject({ Entries: [wanted] });
    expect(JSON.stringify([one, many])).not.toContain('planted');
  });

  it.each([undefined, '', 'Self=1;nonsense', 'Root=1-planted;Sampled=1'])(
    'no trace where there is none: %s',
    async (value) => {
      const [one] = await calls({ traceHeader: () => value });
      expect(one).not.toHaveProperty('MessageSystemAttributes');
      expect(one).not.toHaveProperty('MessageGroupId');
    },
  );
});
