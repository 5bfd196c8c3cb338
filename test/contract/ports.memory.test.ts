import { localLimits } from '#core/limits.ts';
import { VirtualClock } from '#test/support/memory/clock.ts';
import { MemoryConsumerSwitch } from '#test/support/memory/consumer-switch.ts';
import { withFaults } from '#test/support/memory/faults.ts';
import { MemoryJobQueue } from '#test/support/memory/job-queue.ts';
import { MemoryJobStore } from '#test/support/memory/job-store.ts';
import { MemoryReconcilerMemory } from '#test/support/memory/reconciler-memory.ts';
import { MemorySlotRegistry } from '#test/support/memory/slot-registry.ts';
import { describeConsumerSwitch } from './consumer-switch.ts';
import { describeJobQueue } from './job-queue.ts';
import { describeJobStore } from './job-store.ts';
import { describeReconcilerMemory } from './reconciler-memory.ts';
import { describeSlotRegistry } from './slot-registry.ts';

describeJobStore(
  'MemoryJobStore',
  async () => {
    const store = new MemoryJobStore({ tables: ['ledger'] });
    return {
      store,
      repeating: (between) => withFaults(store, () => ({ fault: 'repeated', between })),
      ledgerItem: async (account) => store.item('ledger', { account }),
    };
  },
  500,
);

describeSlotRegistry('MemorySlotRegistry', async () => {
  const registry = new MemorySlotRegistry();
  return { registry, repeating: () => withFaults(registry, () => ({ fault: 'repeated' })) };
});

describeJobQueue('MemoryJobQueue', async () => {
  const queue = new MemoryJobQueue(new VirtualClock(), localLimits);
  return {
    queue,
    maxReceiveCount: localLimits.attemptsMax,
    receive: async () => queue.receive(),
    acknowledge: async (receipt) => void queue.acknowledge(receipt),
    sendRaw: async (body) => void queue.sendRaw(body),
  };
});

describeConsumerSwitch('MemoryConsumerSwitch', async () => {
  const clock = new VirtualClock();
  return { consumer: new MemoryConsumerSwitch(clock, 2_000), settle: async () => clock.jump(2_000) };
});

describeConsumerSwitch('MemoryConsumerSwitch that settles at once', async () => ({
  consumer: new MemoryConsumerSwitch(new VirtualClock()),
  settle: async () => undefined,
}));

describeReconcilerMemory('MemoryReconcilerMemory', async () => ({ memory: new MemoryReconcilerMemory() }));
