import {
  GetEventSourceMappingCommand,
  type LambdaClient,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import type { ConsumerState, ConsumerSwitch } from '#functions/ports.ts';

/**
 * States of an event source mapping as the contract names them.
 * Source: `State` of GetEventSourceMapping in the Lambda API reference. Creating, Updating and Deleting say nothing about
 * the direction and are read as the transition to what was wanted last.
 */
const names: Readonly<Record<string, ConsumerState>> = {
  Enabled: 'running',
  Enabling: 'resuming',
  Creating: 'resuming',
  Updating: 'resuming',
  Disabled: 'paused',
  Disabling: 'pausing',
  Deleting: 'pausing',
};

export class MappingSwitch implements ConsumerSwitch {
  readonly #client: LambdaClient;
  readonly #mappingId: string;

  constructor(config: { client: LambdaClient; mappingId: string }) {
    this.#client = config.client;
    this.#mappingId = config.mappingId;
  }

  async state(): Promise<ConsumerState> {
    const { State } = await this.#client.send(new GetEventSourceMappingCommand({ UUID: this.#mappingId }));
    return names[State ?? ''] ?? 'paused';
  }

  /** A call in mid-transition is refused by Lambda (ResourceInUse); the transitional state is then the answer. */
  async set(wanted: 'running' | 'paused'): Promise<ConsumerState> {
    const now = await this.state();
    if (now === wanted) return now;
    try {
      const { State } = await this.#client.send(
        new UpdateEventSourceMappingCommand({ UUID: this.#mappingId, Enabled: wanted === 'running' }),
      );
      return names[State ?? ''] ?? now;
    } catch (error) {
      const name = (error as Error | undefined)?.name;
      if (name === 'ResourceInUseException' || name === 'ResourceConflictException') return this.state();
      throw error;
    }
  }
}
