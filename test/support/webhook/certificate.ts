import { generateKeyPairSync, sign } from 'node:crypto';

/** What a TLS server needs; `cert` is also what its clients must trust. */
export interface Certified {
  readonly key: string;
  readonly cert: string;
}

/** One DER element: tag, length, content. */
const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...contents: readonly Uint8Array[]) => der(0x30, ...contents);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const utcTime = (date: Date) => der(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`));

const commonName = '550403';
const subjectAltName = '551d11';
const ecdsaWithSha256 = '2a8648ce3d040302';

/**
 * A self-signed certificate for one DNS name, valid for an hour, as Node can make none by itself. So no key lies in the
 * repository, and no test fails because a certificate in it has expired. Source: RFC 5280, section 4.1.
 */
export const certify = (dnsName: string): Certified => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(ecdsaWithSha256));
  const name = sequence(der(0x31, sequence(oid(commonName), der(0x0c, Buffer.from(dnsName)))));
  const validity = [-3_600_000, 3_600_000].map((ms) => utcTime(new Date(Date.now() + ms)));
  const altNames = sequence(oid(subjectAltName), der(0x04, sequence(der(0x82, Buffer.from(dnsName)))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(...validity),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(altNames)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = sequence(body, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
};
