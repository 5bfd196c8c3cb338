import { describe, expect, it } from 'vitest';
import { formatMessage } from '#core/message.ts';
import { queued } from '#test/support/core/jobs.ts';
import { needs } from '#test/support/engines/needs.ts';
import { identity, type QueueUnderTest, type ReceivedMessage } from './subjects.ts';

const job = () => queued(identity());

/** What every JobQueue must do. `make` gives each test two empty queues. Nothing here waits for time to pass. */
export const describeJobQueue = (name: string, make: () => Promise<QueueUnderTest>): void => {
  const withOne = async () => {
    const subject = await make();
    const sent = job();
    await subject.queue.send(sent, 0);
    return { ...subject, sent, received: only(await subject.receive()) };
  };

  describe(`${name} as a JobQueue`, () => {
    it('brings what was sent, as the message format has it', async () => {
      const { queue, receive } = await make();
      const [one, two] = [job(), { ...job(), tenure: 3 }];
      await queue.send(one, 0);
      expect(only(await receive())).toMatchObject({ body: formatMessage(one), receiveCount: 1, suspectPutOffs: 0 });
      await queue.send(two, 0, 2);
      expect(only(await receive())).toMatchObject({ body: formatMessage(two), suspectPutOffs: 2 });
    });

    it('counts what is visible, hidden and delayed', async () => {
      const { queue, receive } = await make();
      expect(await queue.look()).toEqual({ visible: 0, notVisible: 0, delayed: 0 });
      await queue.send(job(), 0);
      expect(only(await receive()).receiveCount).toBe(1);
      await queue.send(job(), 900);
      for (let n = 0; n < 3; n += 1) await queue.send(job(), 0);
      expect(await queue.look()).toEqual({ visible: 3, notVisible: 1, delayed: 1 });
    });

    it('sends several at once, each with its own delay', async () => {
      const { queue } = await make();
      const messages = Array.from({ length: 23 }, (_, i) => ({ message: job(), delaySeconds: i < 20 ? 0 : 900 }));
      expect(await queue.sendMany(messages)).toEqual(new Set());
      expect(await queue.look()).toEqual({ visible: 20, notVisible: 0, delayed: 3 });
      expect(await queue.sendMany([])).toEqual(new Set());
    });

    it('counts the letters of the dead too', async () => {
      const { queue } = await make();
      for (const body of ['a', 'b', 'c']) await queue.bury(body, { reason: 'unreadable' });
      expect(await queue.lookDead()).toEqual({ visible: 3, notVisible: 0, delayed: 0 });
      expect((await queue.receiveDead(60)).length).toBeGreaterThan(0);
      const { visible, notVisible } = await queue.lookDead();
      expect([visible + notVisible, notVisible > 0]).toEqual([3, true]);
    });

    it('holds a delayed message back, and a received one', async () => {
      const { queue, receive } = await make();
      await queue.send(job(), 900);
      expect(await receive()).toEqual([]);
      await queue.send(job(), 0);
      expect(await receive()).toHaveLength(1);
      expect(await receive()).toEqual([]);
    });

    it('makes a message visible again at once, with a count and a receipt of its own', async () => {
      const { queue, receive, received } = await withOne();
      expect(await queue.setVisibility(received.receipt, 0)).toBe(true);
      const again = only(await receive());
      expect(again).toMatchObject({ messageId: received.messageId, body: received.body, receiveCount: 2 });
      expect(again.receipt).not.toBe(received.receipt);
    });

    it('keeps a message hidden for longer', async () => {
      const { queue, receive, received } = await withOne();
      expect(await queue.setVisibility(received.receipt, 43_200)).toBe(true);
      expect(await receive()).toEqual([]);
    });

    it('takes a visibility for nothing when the message is gone or somebody else has it', async ({ skip }) => {
      needs({ skip }, 'receipts-expire');
      const { queue, receive, acknowledge, received } = await withOne();
      await queue.setVisibility(received.receipt, 0);
      const again = only(await receive());
      expect(await queue.setVisibility(received.receipt, 0)).toBe(false);
      expect(await receive()).toEqual([]);
      await acknowledge(again.receipt);
      expect(await queue.setVisibility(again.receipt, 0)).toBe(false);
      expect(await queue.look()).toEqual({ visible: 0, notVisible: 0, delayed: 0 });
    });

    it('moves a message that was received too often, unchanged', async ({ skip }) => {
      needs({ skip }, 'receipts-expire');
      const { queue, receive, received, maxReceiveCount } = await withOne();
      let newest: ReceivedMessage = received;
      for (let n = 1; n < maxReceiveCount; n += 1) {
        await queue.setVisibility(newest.receipt, 0);
        newest = only(await receive());
      }
      expect(newest.receiveCount).toBe(maxReceiveCount);
      await queue.setVisibility(newest.receipt, 0);
      expect(await receive()).toEqual([]);
      const [letter, ...others] = await queue.receiveDead(60);
      expect(others).toEqual([]);
      expect(letter).toMatchObject({ messageId: received.messageId, body: received.body });
      expect(letter?.strayId).toBeUndefined();
      expect(await queue.setVisibility(newest.receipt, 0)).toBe(false);
      expect(await queue.look()).toEqual({ visible: 0, notVisible: 0, delayed: 0 });
    });

    it('takes a body that is not ours as it is', async () => {
      const { queue, receive, sendRaw } = await make();
      await sendRaw('{"not":"ours"');
      const received = only(await receive());
      expect(received.body).toBe('{"not":"ours"');
      await queue.bury(received.body, { reason: 'unreadable', strayId: 'stray-1' });
      expect(await queue.receiveDead(60)).toMatchObject([{ body: '{"not":"ours"', strayId: 'stray-1' }]);
    });
  });

  describe(`${name}: its dead-letter queue`, () => {
    it('gets a body unchanged, with the stray that it is, and nothing of it is in the main queue', async () => {
      const { queue } = await make();
      const body = formatMessage(job());
      await queue.bury(body, { reason: 'permanent-error' });
      const [letter, ...others] = await queue.receiveDead(60);
      expect(others).toEqual([]);
      expect(letter?.body).toBe(body);
      expect(letter?.strayId).toBeUndefined();
      expect(await queue.look()).toEqual({ visible: 0, notVisible: 0, delayed: 0 });
    });

    it('gives up to ten at a time, hidden meanwhile', async () => {
      const { queue } = await make();
      const bodies = Array.from({ length: 12 }, (_, n) => `body ${n}`);
      for (const body of bodies) await queue.bury(body, { reason: 'unreadable' });
      const seen: string[] = [];
      for (let pages = 0; pages < 12 && seen.length < 12; pages += 1) {
        const letters = await queue.receiveDead(60);
        expect(letters.length).toBeLessThanOrEqual(10);
        seen.push(...letters.map((letter) => letter.body));
      }
      expect(seen.toSorted()).toEqual(bodies.toSorted());
      expect(await queue.receiveDead(60)).toEqual([]);
    });

    it('releases and deletes letters, and does not mind those that are gone', async () => {
      const { queue } = await make();
      await queue.bury('x', { reason: 'forged' });
      const [first] = await queue.receiveDead(60);
      await queue.releaseDead(first?.receipt ?? '', 0);
      const [second] = await queue.receiveDead(60);
      expect(second?.messageId).toBe(first?.messageId);
      await queue.deleteDead(second?.receipt ?? '');
      await queue.releaseDead(second?.receipt ?? '', 0);
      await queue.deleteDead(second?.receipt ?? '');
      expect(await queue.receiveDead(60)).toEqual([]);
    });
  });
};

const only = (messages: readonly ReceivedMessage[]): ReceivedMessage => {
  const [message, ...others] = messages;
  if (message === undefined || others.length > 0) throw new Error(`one message was expected, not ${messages.length}`);
  return message;
};
