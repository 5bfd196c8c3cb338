import type { Context } from 'aws-lambda';
import type { World } from '#flow/world.ts';
import type { Instance } from './wiring/instance.ts';

/**
 * Builds a handler whose instance is wired at the first invocation and kept. Every invocation carries its request id in
 * the logs, publishes its metrics once, and leaves at least one log line.
 */
export const onInstance = <W extends World, Event, Result>(
  wire: () => Instance<W>,
  handle: (instance: Instance<W>, event: Event, context: Context) => Promise<Result>,
): ((event: Event, context: Context) => Promise<Result>) => {
  let instance: Instance<W> | undefined;
  return async (event, context) => {
    instance ??= wire();
    instance.logger.addContext(context);
    try {
      return await handle(instance, event, context);
    } finally {
      if (instance.metrics.hasStoredMetrics()) instance.metrics.publishStoredMetrics();
    }
  };
};
