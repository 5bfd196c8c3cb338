import { startEmulator } from '../emulator.ts';
import type { EngineChoice } from './choice.ts';
import { startLocalstackDocker, stopLocalstackDocker } from './localstack-docker.ts';
import { startLocalstackHost } from './localstack-host.ts';

export interface EngineOptions {
  /** A directory of this name under `.local/` takes its logs and its temporary files. */
  readonly name: string;
  /** A free one is found if none is given. */
  readonly port?: number;
  /** Goes on after this process has ended. Otherwise it is ended with it. */
  readonly detached?: boolean;
  /** Truly check signatures and policies. Only the embedded emulator can; the others never do. */
  readonly auth?: boolean;
}

/** An engine that answers. */
export interface RunningEngine {
  readonly endpointUrl: string;
  /** What was started on this machine, in the order in which to end it: leaders of process groups. */
  readonly leaders: readonly number[];
  /** Ends what was started here; an endpoint that was there before is left alone. */
  stop(): Promise<void>;
}

/** Starts the engine, or takes what is there, and resolves once it answers. Throws `EmulatorError`. */
export const startEngine = async (choice: EngineChoice, options: EngineOptions): Promise<RunningEngine> => {
  switch (choice.name) {
    case 'endpoint':
      return { endpointUrl: choice.endpointUrl, leaders: [], stop: async () => undefined };
    case 'ministack': {
      const { endpointUrl, pid, stop } = await startEmulator(options);
      return { endpointUrl, leaders: [pid], stop };
    }
    case 'localstack-docker': {
      const { endpointUrl } = await startLocalstackDocker(options);
      return { endpointUrl, leaders: [], stop: stopLocalstackDocker };
    }
    case 'localstack-host':
      return startLocalstackHost(options);
  }
};
