import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startEngine } from '../../localstack/engines/engine.ts';
import { projectRoot } from '../../localstack/places.ts';

const compose = readFileSync(`${projectRoot}/localstack/docker/compose.yaml`, 'utf8');

it('the compose file pins the image, and publishes on the loopback address only', () => {
  expect(compose).toMatch(/image: \$\{SLUICE_LOCALSTACK_IMAGE:-localstack\/localstack:4\.14\.0\}/);
  const published = [...compose.matchAll(/^ {6}- "(.*):\$\{SLUICE_PORT:-4566\}:\$\{SLUICE_PORT:-4566\}"$/gm)];
  expect(published.map(([, address]) => address)).toEqual(['127.0.0.1']);
  expect(compose.match(/^ {4}ports:/gm)).toHaveLength(1);
});

it('a token is handed on and stands nowhere', () => {
  expect(compose).toMatch(/^ {6}- LOCALSTACK_AUTH_TOKEN$/m);
});

it('without Docker the engine says what to do', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(startEngine({ name: 'localstack-docker' }, { name: 'unused' })).rejects.toThrow(
    /needs Docker .* SLUICE_ENGINE=localstack-host/,
  );
});

it('what is there already is taken as it is, and left alone', async () => {
  const engine = await startEngine({ name: 'endpoint', endpointUrl: 'http://127.0.0.1:9' }, { name: 'unused' });
  expect({ url: engine.endpointUrl, leaders: engine.leaders }).toEqual({ url: 'http://127.0.0.1:9', leaders: [] });
  await engine.stop();
});
