import type { LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv4 } from 'node:net';

/** All addresses of a name, as `dns.promises.lookup` with `all: true` gives them. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** What is not public in IPv4. Source: the IANA "IPv4 Special-Purpose Address Registry", and multicast (RFC 5771). */
const specialV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/**
 * What is not public within 2000::/3, the only global unicast range in use; everything outside of it is refused: loopback,
 * link-local, unique-local, multicast, NAT64. Source: the IANA "IPv6 Special-Purpose Address Registry". 2002::/16 (6to4)
 * and 2001::/23 (Teredo among others) carry IPv4 addresses in themselves.
 */
const specialV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [net, prefix] of specialV4) special.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of specialV6) special.addSubnet(net, prefix, 'ipv6');

const globalV6 = new BlockList();
globalV6.addSubnet('2000::', 3, 'ipv6');

const mappedV6 = new BlockList();
mappedV6.addSubnet('::ffff:0:0', 96, 'ipv6');

/** Whether an address belongs to the public internet. An IPv4 address mapped into IPv6 is judged as what it is. */
export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  // A zone names an interface of this machine, which no public address needs.
  if (isIP(address) !== 6 || address.includes('%')) return false;
  // BlockList itself holds a mapped address against the IPv4 rules.
  if (mappedV6.check(address, 'ipv6')) return !special.check(address, 'ipv6');
  return globalV6.check(address, 'ipv6') && !special.check(address, 'ipv6');
};

/**
 * The addresses to connect to, resolved once: the connection is made to one of these and nothing is looked up again, so a
 * name cannot be turned to another address in between. Undefined: at least one of them is not public, and a name with
 * such an address is not trusted with the others either. Rejects as `lookup` does.
 */
export const resolveTarget = async (
  target: URL,
  lookup: Lookup,
  allowPrivate: boolean,
): Promise<readonly LookupAddress[] | undefined> => {
  const host = connectName(target);
  const family = isIP(host);
  const addresses = family === 0 ? await lookup(host) : [{ address: host, family }];
  return allowPrivate || addresses.every(({ address }) => isPublicAddress(address)) ? addresses : undefined;
};

/** The host as a connection wants it: an IPv6 address without its brackets. */
export const connectName = (target: URL): string => target.hostname.replace(/^\[(.*)\]$/, '$1');
