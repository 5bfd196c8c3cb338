import type { SeededRandom } from '../memory/random.ts';
import type { Actor } from './timeline.ts';

/**
 * What can happen to one call of a port.
 *   request-lost    it throws and was never made            response-lost   it was made, and throws
 *   repeated        the SDK makes it twice, and the second answer counts
 *   ghost           it is made and answered, and made again later: a first try that hung in the network
 *   late            it throws, and is made after that       slow            request or response takes seconds
 *   crash-before    the actor ends before the call          crash-sent      the actor ends, the call is made
 *   freeze          the actor stands still after the call   contended       a finish meets other transactions
 */
const faultKinds = [
  'request-lost',
  'response-lost',
  'repeated',
  'ghost',
  'late',
  'slow',
  'crash-before',
  'crash-sent',
  'freeze',
  'contended',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export type PortName = 'store' | 'slots' | 'queue' | 'consumer' | 'memory';

export interface Fate {
  readonly kind: 'fine' | FaultKind;
  readonly requestMs: number;
  readonly responseMs: number;
  /** How long a ghost, a late call, a repetition or a freeze takes. */
  readonly extraMs: number;
}

/** The conditions of one run. Each seed has some kinds of faults and not others: swarms find more than averages. */
export interface Weather {
  readonly latencyMs: number;
  readonly rates: Readonly<Record<FaultKind, number>>;
  readonly skewMaxMs: number;
  readonly slowMaxMs: number;
  /** A late call lands within this; below what the orphan rule allows for. */
  readonly lateMaxMs: number;
  readonly freezeMaxMs: number;
  readonly ackLost: number;
  readonly throttled: number;
}

export const drawWeather = (
  random: SeededRandom,
  bounds: Pick<Weather, 'skewMaxMs' | 'slowMaxMs' | 'lateMaxMs' | 'freezeMaxMs'>,
): Weather => {
  const rate = () => random.pick([0, 0, 0, 0.004, 0.015, 0.05]);
  return {
    ...bounds,
    latencyMs: random.pick([2, 20, 300]),
    rates: Object.fromEntries(faultKinds.map((kind) => [kind, rate()])) as Record<FaultKind, number>,
    skewMaxMs: random.pick([0, bounds.skewMaxMs]),
    ackLost: random.pick([0, 0, 0.1]),
    throttled: random.pick([0, 0, 0, 0, 0.15, 0.95]),
  };
};

export interface Outage {
  readonly port: PortName;
  readonly from: number;
  readonly until: number;
}

/** Decides the fate of each call. Every decision has a name, so that a run can be repeated without it. */
export class Faults {
  readonly #weather: Weather;
  readonly #disabled: ReadonlySet<string>;
  readonly outages: Outage[] = [];
  /** Until then every finish is contended. */
  contendedUntil = 0;
  /** Names of the faults that happened, in their order. */
  readonly happened: string[] = [];
  on = true;

  constructor(weather: Weather, disabled: ReadonlySet<string>) {
    this.#weather = weather;
    this.#disabled = disabled;
  }

  fateOf(actor: Actor, port: PortName, method: string, now: number): Fate {
    const { fates } = actor;
    // The same number of draws for each call, whatever comes of it: a disabled fault does not shift the next one.
    const [which, request, response, extra] = [fates.next(), fates.next(), fates.next(), fates.next()];
    const { latencyMs, slowMaxMs } = this.#weather;
    const fine: Fate = {
      kind: 'fine',
      requestMs: Math.round(request * latencyMs),
      responseMs: Math.round(response * latencyMs),
      extraMs: 0,
    };
    const kind = this.on ? this.#kindOf(which, port, method, now) : undefined;
    if (kind === undefined) return fine;
    const name = `${kind} ${actor.name}#${actor.calls} ${port}.${method}`;
    if (this.#disabled.has(name)) return fine;
    this.happened.push(name);
    const extraMs = Math.round(extra * extra * this.#spanOf(kind)) + 1;
    if (kind !== 'slow') return { ...fine, kind, extraMs };
    return request < 0.5
      ? { ...fine, kind, requestMs: Math.round(extra * slowMaxMs) }
      : { ...fine, kind, responseMs: Math.round(extra * slowMaxMs) };
  }

  #kindOf(which: number, port: PortName, method: string, now: number): FaultKind | undefined {
    if (this.outages.some((outage) => outage.port === port && outage.from <= now && now < outage.until)) {
      return which < 0.8 ? 'request-lost' : 'response-lost';
    }
    if (method === 'finish' && now < this.contendedUntil) return 'contended';
    let at = which;
    for (const kind of faultKinds) {
      at -= this.#weather.rates[kind];
      if (at < 0) return kind === 'contended' && method !== 'finish' ? undefined : kind;
    }
    return undefined;
  }

  #spanOf(kind: FaultKind): number {
    if (kind === 'freeze') return this.#weather.freezeMaxMs;
    return kind === 'repeated' ? this.#weather.slowMaxMs : this.#weather.lateMaxMs;
  }
}
