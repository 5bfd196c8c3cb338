import { asWriter } from './writer.ts';

export interface Call {
  readonly method: string;
  readonly args: readonly unknown[];
  /** Counts the calls of this wrapper, from 0. */
  readonly index: number;
}

/** What happens to one call. Without `fault` it goes through; the turns give a scheduler its say at each seam. */
export interface Disturbance {
  /**
   * `request-lost`: it throws and was never made. `response-lost`: it was made, and throws.
   * `repeated`: it was made twice, as an SDK does after a lost response, and the second answer is what the caller gets;
   * a double recognises the repetition as the real store does.
   */
  readonly fault?: 'request-lost' | 'response-lost' | 'repeated' | undefined;
  /** What a lost request or response throws; `ServiceFault` by default. */
  readonly error?: unknown;
  readonly before?: (() => Promise<void>) | undefined;
  /** Between the two calls of a repeated one. */
  readonly between?: (() => Promise<void>) | undefined;
  readonly after?: (() => Promise<void>) | undefined;
}

/** The service failed, or its answer is unclear: the caller knows nothing about whether the call took effect. */
export class ServiceFault extends Error {
  override readonly name = 'ServiceFault';
}

/**
 * A port whose calls `decide` may disturb. Undefined leaves a call exactly as it is, so test-side methods that answer at
 * once stay so. The port itself sees its own `this`, which lets it keep private members.
 */
export const withFaults = <P extends object>(port: P, decide: (call: Call) => Disturbance | undefined): P => {
  let made = 0;
  return new Proxy(port, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function' || typeof property === 'symbol') return member;
      return (...args: unknown[]): unknown => {
        const call = () => Reflect.apply(member, target, args) as unknown;
        const disturbance = decide({ method: property, args, index: made++ });
        return disturbance === undefined ? call() : disturbed(call, property, disturbance);
      };
    },
  });
};

const disturbed = async (call: () => unknown, method: string, disturbance: Disturbance): Promise<unknown> => {
  const { fault, before, between, after } = disturbance;
  const lost = () => disturbance.error ?? new ServiceFault(`${method}: ${fault}`);
  await before?.();
  if (fault === 'request-lost') throw lost();
  const writer = {};
  let result = await asWriter(writer, call);
  if (fault === 'repeated') {
    await between?.();
    result = await asWriter(writer, call);
  }
  await after?.();
  if (fault === 'response-lost') throw lost();
  return result;
};
