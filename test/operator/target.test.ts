import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findTarget } from '../../operator/cli/target.ts';
import { statusLike } from './support/answers.ts';
import { fakeApi } from './support/fake-api.ts';
import { sluice } from './support/sluice.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-target-'));
  // Nothing of whoever runs the tests: no environment, no profile, no instance that gives credentials.
  for (const name of [
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'AWS_PROFILE',
    'AWS_REGION',
    'AWS_DEFAULT_REGION',
  ]) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(directory, 'credentials'));
  vi.stubEnv('AWS_CONFIG_FILE', join(directory, 'config'));
  writeFileSync(
    join(directory, 'credentials'),
    '[ops]\naws_access_key_id = AKIDOPS\naws_secret_access_key = s\naws_session_token = t\n',
  );
  writeFileSync(join(directory, 'config'), '[profile ops]\nregion = eu-central-1\n');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

const local = () => {
  const file = join(directory, 'outputs.json');
  const names = Object.fromEntries(
    ['api', 'consumer', 'operator', 'reconcile'].map((role) => [`${role}FunctionName`, `sluice-local-${role}`]),
  );
  writeFileSync(
    file,
    JSON.stringify({
      endpointUrl: 'http://127.0.0.1:4715',
      region: 'us-east-1',
      apiUrl: 'http://127.0.0.1:4715/v1/',
      ...names,
    }),
  );
  return file;
};

const inCloud = 'https://abc.execute-api.eu-west-1.amazonaws.com/v1/';

describe('the API is found', () => {
  test('by its URL, before the local stack; its host tells the region', async () => {
    const target = await findTarget({ apiUrl: inCloud }, local());
    expect(target).toMatchObject({
      apiUrl: inCloud.slice(0, -1),
      source: '--api-url',
      sdk: { region: 'eu-west-1' },
      functionNames: [],
    });
  });

  test('as the local stack of the clone, with credentials that only an emulator takes', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDREAL');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'real');
    const target = await findTarget({}, local());
    expect(target).toMatchObject({
      apiUrl: 'http://127.0.0.1:4715/v1',
      sdk: { region: 'us-east-1', endpoint: 'http://127.0.0.1:4715' },
    });
    expect(target.functionNames).toContain('sluice-local-consumer');
    expect(await target.sdk.credentials()).toEqual({ accessKeyId: 'test', secretAccessKey: 'test' });
  });

  test('with the credentials and the region of a profile', async () => {
    const { sdk } = await findTarget({ apiUrl: 'https://jobs.example.com', profile: 'ops' });
    expect(sdk.region).toBe('eu-central-1');
    expect(await sdk.credentials()).toMatchObject({ accessKeyId: 'AKIDOPS', sessionToken: 't' });
  });

  test('with what the environment says, unless an option says otherwise', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDENV');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 's');
    vi.stubEnv('AWS_REGION', 'ap-south-1');
    const { sdk } = await findTarget({ apiUrl: 'https://jobs.example.com' });
    expect([sdk.region, (await sdk.credentials()).accessKeyId]).toEqual(['ap-south-1', 'AKIDENV']);
    expect((await findTarget({ apiUrl: inCloud, region: 'us-west-2' })).sdk.region).toBe('us-west-2');
  });
});

describe('what is missing is said', () => {
  test('a region: 2', async () => {
    const outcome = await sluice(['status', '--api-url', 'https://jobs.example.com']);
    expect(outcome.code).toBe(2);
    expect(outcome.all).toContain('Give --region');
  });

  test('credentials: 1', async () => {
    const outcome = await sluice(['status', '--api-url', inCloud]);
    expect(outcome.code).toBe(1);
    expect(outcome.all).toMatch(/No credentials were found[\s\S]*--profile/);
  });

  test('a local stack that does not answer', async () => {
    const file = local();
    writeFileSync(
      file,
      JSON.stringify({
        ...JSON.parse('{}'),
        region: 'us-east-1',
        endpointUrl: 'http://127.0.0.1:9',
        apiUrl: 'http://127.0.0.1:9/v1',
      }),
    );
    const outcome = await sluice(['status'], { outputsFile: file });
    expect(outcome.code).toBe(1);
    expect(outcome.all).toContain('npm run local:up');
  });
});

test('the key pair of a profile signs the calls, on this machine too', async () => {
  const api = await fakeApi(() => ({ body: statusLike() }));
  expect(await sluice(['status', '--api-url', api.url, '--profile', 'ops'])).toMatchObject({ code: 0 });
  expect(api.calls[0]?.headers.authorization).toContain('Credential=AKIDOPS/');
  expect(api.calls[0]?.headers['x-amz-security-token']).toBe('t');
});

test('the environment may name the API', async () => {
  const api = await fakeApi(() => ({ body: statusLike() }));
  vi.stubEnv('SLUICE_API_URL', api.url);
  expect(await sluice(['status'])).toMatchObject({ code: 0 });
});
