import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { deadBucketNames, recentBucketNames, tenantBucketNames } from '#adapters/job-item.ts';
import { makeCursor } from '#functions/http/inputs.ts';
import { ApiClient, type Credentials } from '#test/support/system/client.ts';
import { Identities } from '#test/support/system/identities.ts';
import type { LocalOutputs } from '../../../localstack/outputs.ts';

/** What there is in the system before the first hostile request, and who sends it. */
export interface Facts {
  readonly attacker: Credentials;
  /** Planted in the victim's payloads and keys: in no answer to a submitter, and in no refusal at all. */
  readonly markers: readonly string[];
  /** Of jobs of both tenants, and of none. */
  readonly ids: readonly string[];
  /** Keys that the attacker has used, so that some submissions are replays or conflicts. */
  readonly keys: readonly string[];
  /** Both tenants, the attacker last. */
  readonly tenants: readonly string[];
  /** Real ones, each for a query of its own: most uses of them are wrong. */
  readonly cursors: readonly string[];
}

const newCaller = async (outputs: LocalOutputs, name: string) => {
  const identities = new Identities(outputs.endpointUrl);
  const credentials = await identities.user(`${name}-${randomBytes(4).toString('hex')}`);
  return { credentials, api: new ApiClient(outputs.apiUrl, credentials) };
};

/** Two tenants with jobs: some done, some dead, one with a payload that lies apart. */
export const plant = async (outputs: LocalOutputs): Promise<Facts> => {
  const victim = await newCaller(outputs, 'victim');
  const attacker = await newCaller(outputs, 'attacker');
  const marker = `planted${randomBytes(6).toString('hex')}`;
  const url = 'https://nowhere.invalid/';
  const submitted = [
    await victim.api.submit(`${marker}.key`, 'ledger.credit', { account: marker, amount: 1 }),
    await victim.api.submit(`${marker}.key.2`, 'webhook.deliver', { url, body: { note: `${marker} `.repeat(60) } }),
    await attacker.api.submit('one', 'ledger.credit', { account: 'fuzz', amount: 1 }),
    await attacker.api.submit('two', 'ledger.credit', { account: 'fuzz', amount: 2 }),
    await attacker.api.submit('three', 'webhook.deliver', { url, body: {} }),
    await attacker.api.submit('four', 'webhook.deliver', { url, body: { pad: 'x'.repeat(2_000) } }),
  ];
  for (const { status, body } of submitted) {
    if (status !== 202) throw new Error(`a job was not taken in: ${status} ${JSON.stringify(body)}`);
    await (body.tenant === submitted[0]?.body.tenant ? victim : attacker).api.call(
      'GET',
      `/jobs/${body.id}?waitSeconds=10`,
    );
  }
  const cursorOf = async (api: ApiClient, path: string): Promise<string> => (await api.call('GET', path)).body.cursor;
  const cursors = [
    await cursorOf(victim.api, '/jobs?limit=1'),
    await cursorOf(victim.api, '/operator/jobs?limit=1'),
    await cursorOf(attacker.api, '/jobs?limit=1'),
    await cursorOf(attacker.api, '/jobs?limit=1&type=ledger.credit'),
    await cursorOf(attacker.api, '/operator/jobs?limit=1'),
    await cursorOf(attacker.api, '/operator/dead?limit=1'),
  ];
  return {
    attacker: attacker.credentials,
    markers: [marker],
    ids: [...submitted.map(({ body }) => body.id), '0'.repeat(32)],
    keys: ['one', 'two', 'three', 'four'],
    tenants: [submitted[0]?.body.tenant, submitted[2]?.body.tenant],
    cursors: cursors.filter((cursor) => cursor !== undefined),
  };
};

/** Places in a bucket as no index ever had them, as JSON text. */
const oddPlaces = [
  ...['{}', '[]', '1', '"x"', '{"id":1,"at":1}', '{"id":"x"}', '{"id":"x","at":"x"}', '{"id":{},"at":{}}'],
  ...['{"id":"","at":1}', '{"id":"x","at":1e400}', '{"id":"x","at":-1}', '{"id":"x","at":1.5}', '{"id":"x","at":null}'],
  ...[`{"id":"${'x'.repeat(3_000)}","at":1}`, '{"id":"control","at":0}', '{"id":"x","at":1e300}'],
  ...[`{"id":"${'0'.repeat(32)}","at":9007199254740991}`, `{"id":"${'0'.repeat(32)}","at":0}`],
];
const oddPositions = ['', 'null', '[]', '{', '[1]', 'x|y', '|', '1|', 'NaN|null', '-1', '1e400', `${'9'.repeat(400)}`];

/** The walk over which list a cursor is for, with how many buckets it has, and what it is bound to. */
export const walks = (tenant: string) => [
  { path: '/jobs', boundTo: ['/jobs', tenant, { tenant }], buckets: tenantBucketNames(tenant).length },
  { path: '/operator/jobs', boundTo: ['/operator/jobs', tenant, {}], buckets: recentBucketNames.length },
  { path: '/operator/dead', boundTo: ['dead', tenant, {}], buckets: deadBucketNames.length },
  {
    path: '/operator/dead/redrive',
    boundTo: ['/operator/dead/redrive', tenant, {}],
    buckets: deadBucketNames.length,
    body: { all: true, dryRun: true },
  },
];
type Walk = ReturnType<typeof walks>[number];

const positions = (buckets: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...oddPositions),
    fc
      .tuple(
        fc.constantFrom(...oddPlaces),
        fc.integer({ min: 0, max: buckets }),
        fc.constantFrom('', '0|', `${1e15}|`, 'x|'),
      )
      .map(([place, at, began]) => {
        const places = Array.from({ length: buckets }, (_, n) => (n === at ? place : 'null'));
        return `${began}[${places.join()}]`;
      }),
  );

/**
 * A cursor whose digest is right: the source is open and the digest has no secret, so that anybody can make one. Only its
 * place in the list is made up.
 */
export const forgedFor = ({ boundTo, buckets }: Walk): fc.Arbitrary<string> =>
  positions(buckets).map((position) => makeCursor(boundTo, position));

export const forgedCursor = (facts: Facts): fc.Arbitrary<string> =>
  fc.oneof(...walks(facts.tenants.at(-1) ?? '').map(forgedFor));
