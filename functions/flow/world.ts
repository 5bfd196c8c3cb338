import type { Limits } from '#core/limits.ts';
import type { Clock, ConsumerSwitch, JobQueue, JobStore, Random, SlotRegistry, Telemetry } from '#functions/ports.ts';

/** The ports that every part of the flow shares. `wiring/` makes one for a Lambda, tests make their own. */
export interface World {
  readonly store: JobStore;
  readonly slots: SlotRegistry;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly limits: Limits;
}

/** For the flows that ask or switch the consumer too. */
export interface OperatorWorld extends World {
  readonly consumer: ConsumerSwitch;
}
