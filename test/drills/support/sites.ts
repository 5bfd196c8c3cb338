import { mkdirSync, rmSync } from 'node:fs';
import { changeVariables } from '#test/support/function-variables.ts';
import { deployLocal } from '../../../localstack/deploy.ts';
import { type Emulator, startEmulator } from '../../../localstack/emulator.ts';
import type { LocalOutputs } from '../../../localstack/outputs.ts';
import { localDirectory } from '../../../localstack/places.ts';
import { Relay } from './relay.ts';

/** A deployed stack to drill on. */
export interface Site {
  readonly outputs: LocalOutputs;
}

/** One whose API, consumer and reconciler reach SQS and DynamoDB over relays that can be cut. The operator does not. */
export interface RelayedSite extends Site {
  /** Its functions run in children of this process. */
  readonly emulatorPid: number;
  readonly sqs: Relay;
  readonly dynamodb: Relay;
}

/** One whose emulator can be ended, in order or by force, and started again on what it has written down. */
export interface RestartableSite extends Site {
  end(how: 'in order' | 'by force'): Promise<void>;
  start(): Promise<void>;
}

export interface Sites {
  readonly shared: Site;
  readonly relayed: RelayedSite;
  readonly restartable: RestartableSite;
}

/** Opens each kind of site once, when its first drill comes, and closes all of them at the end. */
export class SiteKeeper {
  readonly #opened = new Map<keyof Sites, Promise<Sites[keyof Sites]>>();
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #directory = `drills-${process.pid}`;
  readonly #openers: { readonly [Kind in keyof Sites]: () => Promise<Sites[Kind]> } = {
    shared: async () => ({ outputs: await this.#deploy(await this.#startEmulator('shared')) }),
    relayed: () => this.#openRelayed(),
    restartable: () => this.#openRestartable(),
  };

  constructor() {
    // Also when the run is interrupted: the emulators end with this process by themselves, their files would stay.
    // `SLUICE_KEEP_LOGS=1` lets them stay, for who wants to read the emulators' logs.
    if (process.env['SLUICE_KEEP_LOGS'] === '1') return;
    process.once('exit', () => rmSync(`${localDirectory}/${this.#directory}`, { recursive: true, force: true }));
  }

  open<Kind extends keyof Sites>(kind: Kind): Promise<Sites[Kind]> {
    const opened = this.#opened.get(kind) ?? this.#openers[kind]();
    this.#opened.set(kind, opened);
    return opened as Promise<Sites[Kind]>;
  }

  /** Opens a site that will be needed soon; whether that works shows when it is. */
  prepare(kind: keyof Sites): void {
    this.open(kind).catch(() => undefined);
  }

  async close(): Promise<void> {
    // One that is still being opened has something to close only then.
    await Promise.allSettled(this.#opened.values());
    await Promise.all(this.#closers.splice(0).map((close) => close()));
  }

  async #startEmulator(kind: keyof Sites, options: { port?: number; persistDirectory?: string } = {}) {
    const emulator = await startEmulator({ name: `${this.#directory}/${kind}`, ...options });
    this.#closers.push(() => emulator.stop());
    return emulator;
  }

  #deploy({ endpointUrl, port }: Emulator): Promise<LocalOutputs> {
    return deployLocal({ endpointUrl, outDir: `${localDirectory}/${this.#directory}/deployed-${port}` });
  }

  async #openRelayed(): Promise<RelayedSite> {
    const emulator = await this.#startEmulator('relayed');
    const outputs = await this.#deploy(emulator);
    const [sqs, dynamodb] = await Promise.all([Relay.open(emulator.port), Relay.open(emulator.port)]);
    this.#closers.push(async () => {
      await Promise.all([sqs.close(), dynamodb.close()]);
    });
    await connectThrough(outputs, sqs, dynamodb);
    return { outputs, emulatorPid: emulator.pid, sqs, dynamodb };
  }

  async #openRestartable(): Promise<RestartableSite> {
    const persistDirectory = `${localDirectory}/${this.#directory}/state`;
    mkdirSync(persistDirectory, { recursive: true });
    let emulator = await this.#startEmulator('restartable', { persistDirectory });
    const { port } = emulator;
    return {
      outputs: await this.#deploy(emulator),
      end: async (how) => {
        // By force: the whole group at once, so that it cannot write its state down. `stop` then only tidies up.
        if (how === 'by force') process.kill(-emulator.pid, 'SIGKILL');
        await emulator.stop();
      },
      start: async () => {
        emulator = await this.#startEmulator('restartable', { port, persistDirectory });
      },
    };
  }
}

/**
 * Wires the relays in by the functions' environment alone. The SDK takes the endpoint of SQS from a queue's URL rather
 * than from `AWS_ENDPOINT_URL_SQS`, so the URLs of the queues name the relay too.
 */
const connectThrough = async (outputs: LocalOutputs, sqs: Relay, dynamodb: Relay): Promise<void> => {
  const { apiFunctionName, consumerFunctionName, reconcileFunctionName, endpointUrl } = outputs;
  await changeVariables(outputs, [apiFunctionName, consumerFunctionName, reconcileFunctionName], (before) => ({
    ...Object.fromEntries(
      Object.entries(before).map(([name, value]): [string, string] => [
        name,
        name.endsWith('QUEUE_URL') ? value.replace(endpointUrl, sqs.url) : value,
      ]),
    ),
    AWS_ENDPOINT_URL_SQS: sqs.url,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
  }));
};
