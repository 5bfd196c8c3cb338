import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { refuseOldCalls } from '#adapters/call-age.ts';

/** A client whose every try fails as a lost connection would, and takes `tryMs` of the clock. */
const failing = (tryMs: number, maxMs: number) => {
  let now = 0;
  const sentAt: number[] = [];
  const client = new DynamoDBClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 3,
    retryStrategy: {
      mode: 'standard',
      acquireInitialRetryToken: async () => token(0),
      refreshRetryTokenForRetry: async (t) => {
        if (t.getRetryCount() >= 2) throw new Error('no tries left');
        return token(t.getRetryCount() + 1);
      },
      recordSuccess: () => undefined,
    },
    requestHandler: {
      handle: async () => {
        sentAt.push(now);
        now += tryMs;
        throw Object.assign(new Error('lost'), { name: 'TimeoutError' });
      },
    },
  });
  refuseOldCalls(client, maxMs, () => now);
  return { client, sentAt };
};

const token = (count: number) => ({ getRetryCount: () => count, getRetryDelay: () => 0 });
const get = new GetItemCommand({ TableName: 't', Key: { id: { S: 'x' } } });

describe('G8 the age of a call', () => {
  it('bounds its tries: a process that stood still signs nothing afresh', async () => {
    const { client, sentAt } = failing(5_000, 4_999);
    await expect(client.send(get)).rejects.toMatchObject({ name: 'CallTooOld' });
    expect(sentAt).toEqual([0]);
  });

  it('leaves the tries of a young call alone', async () => {
    const { client, sentAt } = failing(1_000, 4_999);
    await expect(client.send(get)).rejects.toThrow();
    expect(sentAt).toEqual([0, 1_000, 2_000]);
  });
});
