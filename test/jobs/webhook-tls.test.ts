import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { certify } from '#test/support/webhook/certificate.ts';
import { deliver, settings } from '#test/support/webhook/delivery.ts';
import { startReceiver } from '#test/support/webhook/receiver.ts';

const given = settings({ hosts: ['hooks.example:*', 'other.example:*'], allowPrivateAddresses: true });
const lookup = async () => [{ address: '127.0.0.1', family: 4 }];

const trust = (cert: string): void => {
  const before = getCACertificates('default');
  onTestFinished(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, cert]);
};

describe('https', () => {
  it('speaks to the pinned address under the name of the URL, and checks its certificate', async () => {
    const certified = certify('hooks.example');
    trust(certified.cert);
    const receiver = await startReceiver(undefined, certified);
    const delivered = await deliver({ url: `https://hooks.example:${receiver.port}/a`, body: 1 }, given, { lookup });
    expect(delivered).toMatchObject({ result: { status: 200 }, error: undefined });
    expect(receiver.received[0]?.headers.host).toBe(`hooks.example:${receiver.port}`);

    const elsewhere = await deliver({ url: `https://other.example:${receiver.port}/a`, body: 1 }, given, { lookup });
    expect(elsewhere).toMatchObject({ retryable: true });
    expect(elsewhere.error?.message).toBe('the receiver gave no answer (ERR_TLS_CERT_ALTNAME_INVALID)');
    expect(receiver.received).toHaveLength(1);
  });

  it('sends nothing to a receiver whose certificate nobody trusts', async () => {
    const receiver = await startReceiver(undefined, certify('hooks.example'));
    const delivered = await deliver({ url: `https://hooks.example:${receiver.port}/a`, body: 1 }, given, { lookup });
    expect(delivered).toMatchObject({ retryable: true });
    expect(delivered.error?.message).toMatch(/^the receiver gave no answer \(.*(SELF_SIGNED|VERIFY).*\)$/);
    expect(receiver.received).toEqual([]);
  });
});
