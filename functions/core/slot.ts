/**
 * A slot is one unit of capacity, held by a token in a shard of the registry. A token is 26 bytes, here as hex: the job
 * id (16), a nonce (6: the tenant's tag and three random bytes) and the second it was made (4). It names one tenure of one
 * job, so that taking and freeing can both be repeated without harm; its tag tells whose share it counts against, and its
 * age tells the reconciler when nobody can bring its record any more.
 */
export interface Slot {
  readonly shard: number;
  readonly token: string;
}

const idChars = 32;
const nonceChars = 12;
export const tokenChars = idChars + nonceChars + 8;

/** `nonce` is 12 hex digits of fresh randomness; `now` in epoch milliseconds. */
export const makeToken = (id: string, nonce: string, now: number): string => {
  const token =
    id +
    nonce +
    Math.floor(now / 1000)
      .toString(16)
      .padStart(8, '0');
  if (!/^[0-9a-f]{52}$/.test(token)) throw new TypeError('a slot token is made of 52 hex digits');
  return token;
};

const tagChars = 6;

/** The tag of the tenant that took the slot, 6 hex digits; see `tenantTag`. */
export const tokenTag = (token: string): string => token.slice(idChars, idChars + tagChars);

/** What a tenant's set in the shard holds of the token: the part that the tag does not tell, 3 + 4 bytes. */
export const tokenRest = (token: string): string => token.slice(idChars + tagChars);

export const tokenJobId = (token: string): string => token.slice(0, idChars);

/** When the token was made, in epoch milliseconds, whole seconds. */
export const tokenMadeAt = (token: string): number => Number.parseInt(token.slice(idChars + nonceChars), 16) * 1000;

/** Tokens to write together: one write a shard. */
export const tokensByShard = (slots: readonly Slot[]): ReadonlyMap<number, readonly string[]> =>
  new Map([...Map.groupBy(slots, (slot) => slot.shard)].map(([shard, own]) => [shard, own.map((slot) => slot.token)]));

/** One shard of the registry as the store returns it. */
export interface Shard {
  readonly index: number;
  readonly open: boolean;
  readonly cap: number;
  readonly members: readonly string[];
  /** The newest version of intake and capacity that this shard has seen. */
  readonly version: number;
}
