import type { Target } from './targets.ts';

/** Why a target can be missed, as far as it was understood; said only where one is missed. */
const reasons: readonly { readonly of: RegExp; readonly why: string }[] = [
  {
    of: /^submit/,
    why: 'Most of an answer is the emulator’s own part, the same for both. In the function itself three calls stand one after another, against the peer’s four.',
  },
  {
    of: /^end-to-end/,
    why: 'The emulator answers everything from one process, and what binds there is probably its own work (by call it took 1.4 to 2.0 ms for our writes, 1.2 to 1.6 ms for the peer’s): a transaction and a condition on a set cost it more than plain writes do. Fewer calls show where calls take time, not there.',
  },
  {
    of: /^AWS calls|^dollars/,
    why: 'Slots of a batch are freed with one write a shard, and a batch holds jobs of as many shards as instances took them in.',
  },
  {
    of: /^refusal while full: reads/,
    why: 'One read of the id for each refusal, so that a replay is known; beyond it the look at the registry, once a second an instance.',
  },
  {
    of: /^replay: other writes/,
    why: 'A replay that meets an instance which has not seen its job takes a slot and gives it back; from then on it costs one read there. To know it on every instance would cost every new submission a read.',
  },
  {
    of: /time of its import/,
    why: 'It follows what is parsed and run at the start, so the bytes; between two runs on one machine its ratio moved by a tenth.',
  },
  {
    of: /bytes of the bundle/,
    why: 'Both carry the SDK’s core, two clients and Powertools, which is most of a bundle; ours has the router and the system itself beside them. What is never run was left out of ours: the SDK’s search for credentials, SSM, clients of other functions. The SDK’s event streams and endpoint discovery and Powertools’ JMESPath would be another 23 kB of the API and 47 kB of the consumer; but a bundle carries the handlers of whoever defines jobs, and those may need them.',
  },
];

export const missesOf = (targets: readonly Target[]): string =>
  reasons
    .map(({ of, why }) => ({ missed: targets.filter(({ what, holds }) => !holds && of.test(what)), why }))
    .filter(({ missed }) => missed.length > 0)
    .map(({ missed, why }) => `- ${missed.map(({ what }) => what).join('; ')}. ${why}`)
    .join('\n');
