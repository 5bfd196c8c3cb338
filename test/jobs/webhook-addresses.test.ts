import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '#functions/jobs/webhook/addresses.ts';
import { deliver, localSettings, settings } from '#test/support/webhook/delivery.ts';
import { startReceiver } from '#test/support/webhook/receiver.ts';

const refused = {
  retryable: false,
  error: { name: 'DeliveryRefused', message: 'the host has an address that is private or reserved' },
};

/** Both sides of each boundary. */
const notPublic = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  'shared by a provider': ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.255', '::1'],
  'link-local, cloud metadata': [
    '169.254.0.0',
    '169.254.169.254',
    '169.254.170.2',
    'fe80::1',
    'febf::1',
    'fe80::1%eth0',
  ],
  'unique-local': ['fc00::', 'fdff:ffff::1', 'fd00:ec2::254'],
  multicast: ['224.0.0.0', '239.255.255.255', 'ff00::', 'ff02::1'],
  'reserved, broadcast': ['240.0.0.0', '255.255.255.255'],
  'protocol assignments': ['192.0.0.0', '192.0.0.255', '192.88.99.1', '2001::1', '2001:1ff:ffff::'],
  benchmarks: ['198.18.0.0', '198.19.255.255'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '3fff:fff::1'],
  unspecified: ['::'],
  'IPv4 mapped into IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:0:0',
  ],
  'IPv4 inside of IPv6 otherwise': ['::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001:0:1::1'],
  'deprecated, or not handed out': ['fec0::1', '100::1', '5f00::1', '4000::1', '1fff::1'],
  'no address': ['', 'localhost', '127.1', '1.2.3', 'fe80', '1.2.3.4.5', '::g'],
};

const open = [
  ...['1.0.0.0', '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
  ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
  ...[
    '191.255.255.255',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
  ],
  ...['2001:200::', '2001:db7::1', '2001:db9::1', '2003::1', '2606:4700:4700::1111', '2a00:1450::1', '3ffe::1'],
  ...['::ffff:8.8.8.8', '::ffff:808:808'],
];

describe('addresses', () => {
  it.each(Object.entries(notPublic).flatMap(([why, all]) => all.map((address) => [address, why] as const)))(
    '"%s" is not public: %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );

  it.each(open)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('a URL with a literal address that is not public is refused, however it is written', () => {
  const urls = [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
  ];

  it.each(urls)('%s', async (url) => {
    const { hostname } = new URL(url);
    expect(await deliver({ url, body: 1 }, settings({ hosts: [hostname] }))).toMatchObject(refused);
  });
});

describe('names', () => {
  const hosts = ['hooks.example:*'];
  const to = (port: number) => ({ url: `http://hooks.example:${port}/`, body: 1 });
  const resolvingTo =
    (...addresses: readonly string[]) =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

  it.each([
    ['a private address', ['10.1.2.3']],
    ['loopback', ['127.0.0.1']],
    ['loopback in IPv6', ['::1']],
    ['a mapped private address', ['::ffff:10.1.2.3']],
    ['cloud metadata', ['169.254.169.254']],
    ['a public address and a private one', ['93.184.216.34', '10.1.2.3']],
    ['a public address and loopback in IPv6', ['93.184.216.34', '::1']],
  ])('one that resolves to %s is refused, and nothing is connected', async (_, addresses) => {
    const receiver = await startReceiver();
    const given = settings({ hosts, allowHttp: true });
    const delivered = await deliver(to(receiver.port), given, { lookup: resolvingTo(...addresses) });
    expect(delivered).toMatchObject(refused);
    expect(receiver.received).toEqual([]);
  });

  it('the refusal does not tell the address', async () => {
    const lookup = resolvingTo('10.1.2.3');
    const { error, logged } = await deliver(to(1), settings({ hosts, allowHttp: true }), { lookup });
    expect(`${error?.stack}${logged}`).not.toContain('10.1.2.3');
  });

  it('is resolved once, and connected to what was checked: a second answer would not be asked for', async () => {
    const receiver = await startReceiver();
    const asked: string[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      return [{ address: asked.length === 1 ? '127.0.0.1' : '203.0.113.9', family: 4 }];
    };
    // The name does not exist, so that only the pinned address can lead anywhere.
    const delivered = await deliver(to(receiver.port), localSettings({ hosts }), { lookup });
    expect(delivered).toMatchObject({ result: { status: 200 } });
    expect(asked).toEqual(['hooks.example']);
    expect(receiver.received[0]?.headers.host).toBe(`hooks.example:${receiver.port}`);
  });

  it('one of several addresses that does not answer is passed over', async () => {
    const receiver = await startReceiver();
    const lookup = resolvingTo('::1', '127.0.0.1');
    const delivered = await deliver(to(receiver.port), localSettings({ hosts }), { lookup });
    expect(delivered).toMatchObject({ result: { status: 200 } });
  });

  it('one without any address is tried again', async () => {
    const delivered = await deliver(to(1), localSettings({ hosts }), { lookup: async () => [] });
    expect(delivered).toMatchObject({ retryable: true });
  });
});
