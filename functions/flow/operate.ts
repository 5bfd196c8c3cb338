import type { ConsumerState } from '#functions/ports.ts';
import { changeRegistry } from './registry.ts';
import type { OperatorWorld, World } from './world.ts';

/**
 * Sets the capacity. Once this returns, nobody is let in while the slots taken are at or above it; if more are taken
 * already, nobody is let in at all until they fit. A newer change that overtakes this one wins.
 */
export const changeCapacity = async (world: World, capacity: number, actor: string): Promise<void> => {
  const control = await changeRegistry(world, () => ({ capacity }));
  world.telemetry.note({
    metric: 'CapacityChanged',
    code: 'capacity',
    detail: { capacity: control.capacity, version: control.version, actor },
  });
};

/** Pauses or resumes the consumer; the state may be transitional for a while. */
export const switchConsumer = async (
  world: OperatorWorld,
  wanted: 'running' | 'paused',
  actor: string,
): Promise<ConsumerState> => {
  const state = await world.consumer.set(wanted);
  world.telemetry.note({ metric: 'ConsumerSwitched', code: state, detail: { wanted, actor } });
  return state;
};
