import { describe, expect, it } from 'vitest';
import type { JobWrite, WriteExpression } from '#core/job-write.ts';
import { localLimits } from '#core/limits.ts';
import { queued, retrying, t0 } from '#test/support/core/jobs.ts';
import { VirtualClock } from '#test/support/memory/clock.ts';
import { MemoryConsumerSwitch } from '#test/support/memory/consumer-switch.ts';
import { type Call, type Disturbance, ServiceFault, withFaults } from '#test/support/memory/faults.ts';
import { MemoryJobQueue } from '#test/support/memory/job-queue.ts';
import { MemoryJobStore } from '#test/support/memory/job-store.ts';
import { SeededRandom } from '#test/support/memory/random.ts';
import { MemorySlotRegistry } from '#test/support/memory/slot-registry.ts';
import { TelemetryRecorder } from '#test/support/memory/telemetry.ts';
import { finishWith, identity, seeded, slotOf } from './subjects.ts';

/*
 * What the doubles add to their ports: time that can be moved, faults, and what a simulated event source mapping needs.
 * Also what the service does and the emulator does not show.
 */

describe('VirtualClock', () => {
  it('ends waits in the order of their times, at their times', async () => {
    const clock = new VirtualClock(t0);
    const seen: string[] = [];
    const waiter = async (name: string, ms: number) => {
      await clock.wait(ms);
      seen.push(`${name}@${clock.now() - t0}`);
    };
    const all = [waiter('late', 30), waiter('early', 10), waiter('also early', 10)];
    await clock.advance(20);
    expect(seen).toEqual(['early@10', 'also early@10']);
    expect(clock.nextAt()).toBe(t0 + 30);
    await clock.advance(10);
    await Promise.all(all);
    expect(seen).toHaveLength(3);
    expect(clock.waiting).toBe(0);
  });

  it('ends waits that begin within the span', async () => {
    const clock = new VirtualClock(t0);
    const twice = (async () => {
      await clock.wait(5);
      await clock.wait(5);
      return clock.now();
    })();
    await clock.advance(60);
    expect(await twice).toBe(t0 + 10);
    expect(clock.now()).toBe(t0 + 60);
  });

  it('ends a wait when its signal aborts, and never goes back', async () => {
    const clock = new VirtualClock(t0);
    const abort = new AbortController();
    const waiting = clock.wait(1_000, abort.signal);
    abort.abort();
    await waiting;
    await clock.wait(1_000, abort.signal);
    expect([clock.now(), clock.waiting]).toEqual([t0, 0]);
    expect(() => clock.jumpTo(t0 - 1)).toThrow(RangeError);
  });
});

describe('SeededRandom', () => {
  it('repeats itself for a seed, within its range', () => {
    const draw = (seed: number) => {
      const random = new SeededRandom(seed);
      return [...Array.from({ length: 200 }, () => random.next()), random.hex(6)];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    const numbers = draw(7).filter((n) => typeof n === 'number');
    expect(numbers.every((n) => n >= 0 && n < 1)).toBe(true);
    expect(new SeededRandom(1).hex(5)).toMatch(/^[0-9a-f]{10}$/);
    expect(new SeededRandom(1).shuffle([1, 2, 3, 4]).toSorted()).toEqual([1, 2, 3, 4]);
  });
});

describe('MemoryJobStore', () => {
  it('shares nothing with its callers, and keeps no undefined members', async () => {
    const store = new MemoryJobStore();
    const job = await seeded(store, { ...queued(identity()), stale: undefined, options: { delaySeconds: 1 } });
    Object.assign(job.options, { delaySeconds: 9 });
    const read = await store.read(job.id);
    expect(read?.options).toEqual({ delaySeconds: 1 });
    expect(read && 'stale' in read).toBe(false);
    Object.assign(read ?? {}, { attempt: 99 });
    expect((await store.read(job.id))?.attempt).toBe(0);
  });

  it('is contended when it is told to be, with nothing written', async () => {
    let contended = true;
    const store = new MemoryJobStore({ contended: () => contended });
    expect(await finishWith(store, [])).toEqual({ kind: 'contended' });
    contended = false;
    expect(await finishWith(store, [])).toEqual({ kind: 'saved' });
  });

  it('takes a save that does not follow from what was read for a mistake', async () => {
    const job = queued(identity());
    await expect(new MemoryJobStore().save(job, job)).rejects.toThrow(TypeError);
    await expect(new MemoryJobStore().save(job, retrying({ ...identity(), rev: 99 }))).rejects.toThrow(TypeError);
  });

  it('rejects an update of a key, which DynamoDB refuses and the emulator takes', async () => {
    const update = { expression: 'SET account = :a', values: { ':a': 'b' } };
    expect(await finishWith(new MemoryJobStore(), [updating(update)])).toMatchObject({ kind: 'rejected' });
  });

  it.each([
    { expression: 'REMOVE x' },
    { expression: 'SET x = x + :one', values: { ':one': 1 } },
    { expression: 'SET x = if_not_exists(x, :one)', values: { ':one': 1 } },
    { expression: 'ADD x.y :one', values: { ':one': 1 } },
    { expression: 'x = :one', values: { ':one': 1 } },
  ])('throws at an update that it does not know: $expression', async (update) => {
    await expect(finishWith(new MemoryJobStore(), [updating(update)])).rejects.toThrow('do not know');
  });

  it.each(['a = :x OR b = :x', 'NOT a = :x', 'a < :x', 'size(a) >= :x', '(a = :x)', ''])(
    'throws at a condition that it does not know: %s',
    async (expression) => {
      const condition = { expression, values: { ':x': 1 } };
      const check: JobWrite = { table: 'ledger', key: { account: 'a' }, kind: 'check', condition };
      await expect(finishWith(new MemoryJobStore(), [check])).rejects.toThrow('do not know');
    },
  );
});

const updating = (update: WriteExpression): JobWrite => ({
  table: 'ledger',
  key: { account: 'a' },
  kind: 'update',
  update,
});

describe('MemoryJobQueue', () => {
  const make = (random?: SeededRandom) => {
    const clock = new VirtualClock(t0);
    return { clock, queue: new MemoryJobQueue(clock, localLimits, random) };
  };
  const visibilityMs = localLimits.visibilitySeconds * 1_000;

  it('shows a delayed message at its moment, and a received one when its visibility ends', async () => {
    const { clock, queue } = make();
    await queue.send(queued(identity()), 2);
    expect(queue.nextVisibleAt()).toBe(t0 + 2_000);
    clock.jump(1_999);
    expect(queue.receive()).toEqual([]);
    clock.jump(1);
    const [first] = queue.receive();
    clock.jump(visibilityMs - 1);
    expect(queue.receive()).toEqual([]);
    clock.jump(1);
    // Visible again, so no longer in flight; nobody else has it, so its receipt still deletes it.
    expect(await queue.setVisibility(first?.receipt ?? '', 10)).toBe(false);
    expect(queue.acknowledge(first?.receipt ?? '')).toBe(true);
    expect(queue.messages()).toEqual([]);
  });

  it('counts for an old receipt no more', async () => {
    const { queue } = make();
    await queue.send(queued(identity()), 0);
    const [first] = queue.receive();
    queue.deliverAgain(first?.messageId ?? '');
    const [second] = queue.receive();
    expect(second?.receiveCount).toBe(2);
    expect(queue.acknowledge(first?.receipt ?? '')).toBe(false);
    expect([queue.fail(first?.receipt ?? ''), queue.fail(second?.receipt ?? '')]).toEqual([false, true]);
    expect(queue.acknowledge(second?.receipt ?? '')).toBe(true);
  });

  it('moves a message only when it would be received once more', async () => {
    const { clock, queue } = make();
    await queue.send(queued(identity()), 0, 2);
    for (let n = 1; n <= localLimits.attemptsMax; n += 1) {
      expect(queue.receive()).toMatchObject([{ receiveCount: n, suspectPutOffs: 2 }]);
      clock.jump(visibilityMs);
    }
    expect(await queue.look()).toEqual({ visible: 1, notVisible: 0, delayed: 0 });
    expect(queue.deadLetters()).toEqual([]);
    expect(queue.receive()).toEqual([]);
    expect(queue.deadLetters()).toHaveLength(1);
    expect(await queue.look()).toEqual({ visible: 0, notVisible: 0, delayed: 0 });
  });

  it('keeps the reason of a burial, and takes only what SQS takes', async () => {
    const { queue } = make(new SeededRandom(1));
    await queue.bury('x', { reason: 'forged', strayId: 's' });
    expect(queue.deadLetters()).toMatchObject([
      { body: 'x', attributes: { burial: { reason: 'forged', strayId: 's' } } },
    ]);
    await expect(queue.send(queued(identity()), 901)).rejects.toThrow(RangeError);
    await expect(queue.send(queued(identity()), 0.5)).rejects.toThrow(RangeError);
    await expect(queue.setVisibility('none', 43_201)).rejects.toThrow(RangeError);
  });
});

describe('MemoryConsumerSwitch', () => {
  it('takes its time', async () => {
    const clock = new VirtualClock(t0);
    const consumer = new MemoryConsumerSwitch(clock, 5_000);
    expect(await consumer.set('paused')).toBe('pausing');
    clock.jump(4_999);
    expect(await consumer.set('running')).toBe('pausing');
    clock.jump(1);
    expect([consumer.current(), await consumer.set('running')]).toEqual(['paused', 'resuming']);
  });
});

describe('TelemetryRecorder', () => {
  it('counts and keeps what was noted', () => {
    const telemetry = new TelemetryRecorder();
    telemetry.note({ metric: 'JobsAccepted', jobId: 'a', code: 'accepted' });
    telemetry.note({ metric: 'JobsRefused', jobId: 'b', code: 'queue-full' });
    telemetry.gauge('SlotsTaken', 1);
    telemetry.gauge('SlotsTaken', 2);
    expect(telemetry.count('JobsRefused', { code: 'queue-full', jobId: 'b' })).toBe(1);
    expect(telemetry.count('JobsRefused', { code: 'intake-closed' })).toBe(0);
    expect(telemetry.trail('a')).toEqual(['JobsAccepted:accepted']);
    expect(telemetry.lastGauge('SlotsTaken')).toBe(2);
  });
});

describe('withFaults', () => {
  const make = async (disturbance: (call: Call) => Disturbance | undefined) => {
    const registry = new MemorySlotRegistry();
    await registry.createShard({ index: 0, open: true, cap: 9, version: 1 });
    return { registry, faulty: withFaults(registry, disturbance) };
  };
  const slot = slotOf(identity().id);

  it('loses a request, or a response', async () => {
    const lostRequest = await make(() => ({ fault: 'request-lost' }));
    await expect(lostRequest.faulty.take(slot)).rejects.toThrow(ServiceFault);
    expect(lostRequest.registry.tokens()).toEqual([]);
    const lostResponse = await make(() => ({ fault: 'response-lost', error: new RangeError('mine') }));
    await expect(lostResponse.faulty.take(slot)).rejects.toThrow('mine');
    expect(lostResponse.registry.tokens()).toEqual([slot.token]);
  });

  it('lets others in at each seam', async () => {
    const seen: string[] = [];
    const step = (name: string) => async () => void seen.push(`${name}:${registry.tokens().length}`);
    const { registry, faulty } = await make(() => ({
      fault: 'repeated',
      before: step('before'),
      between: step('between'),
      after: step('after'),
    }));
    expect(await faulty.take(slot)).toBe('taken');
    expect(seen).toEqual(['before:0', 'between:1', 'after:1']);
  });

  it('names and counts the calls, and leaves alone what it is told to', async () => {
    const calls: Call[] = [];
    const { faulty } = await make((call) => void calls.push(call));
    expect(faulty.shards()).toHaveLength(1);
    await faulty.free(0, ['x']);
    expect(calls).toEqual([
      { method: 'shards', args: [], index: 0 },
      { method: 'free', args: [0, ['x']], index: 1 },
    ]);
  });
});
