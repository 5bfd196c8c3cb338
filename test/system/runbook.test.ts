import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { projectRoot } from '../../localstack/places.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type Block, blocksOf, demandsOf, fits, unwritten } from '../support/runbook/blocks.ts';
import { Shell } from '../support/runbook/shell.ts';
import { eventually } from '../support/system/eventually.ts';
import { api, jobIn, outputs, reconcile, reset, resumeConsumer, stageCapacity } from '../support/system/stack.ts';

const blocks = blocksOf(readFileSync(`${projectRoot}/RUNBOOK.md`, 'utf8'));
const sections = Map.groupBy(
  blocks.filter((block) => block.kind === 'any'),
  (block) => block.section,
);
const safetyCheck = 'First safety check';

/** The test's own stack stands for the one that the reader has started, or works on; he has the operators' role. */
const { operator, credentialsFile } = inject('callers');
const shell = new Shell(
  {
    AWS_ACCESS_KEY_ID: operator.accessKeyId,
    AWS_SECRET_ACCESS_KEY: operator.secretAccessKey,
    AWS_SESSION_TOKEN: operator.sessionToken,
    AWS_SHARED_CREDENTIALS_FILE: credentialsFile,
    AWS_REGION: outputs.region,
    SLUICE_API_URL: outputs.apiUrl,
    API_URL: outputs.apiUrl,
    REGION: outputs.region,
  },
  '--profile operator',
);

/** Fails as long as an outage of three starts lasts: dead, and well after a redrive. */
const outage = { account: 'runbook', amount: 1, failBefore: 3 };
const hopeless = { account: 'runbook', amount: 1, permanent: true };

const dead = async (key: string, payload: object): Promise<string> => {
  const { body } = await api.submit(key, 'test.scripted', payload);
  await jobIn(body.id, 'dead');
  return body.id;
};

/** What a reader would have at hand, for the blocks that ask for it. */
const given = async (): Promise<string> => {
  const [job, , other] = await Promise.all([
    dead('runbook-outage-1', outage),
    dead('runbook-outage-2', outage),
    dead('runbook-hopeless', hopeless),
  ]);
  return `JOB_ID=${job} DEAD_ID=${other} CAPACITY=${stageCapacity}`;
};

const discardAll = async (): Promise<void> => {
  while ((await api.status()).body.dead > 0) {
    const { status } = await api.call('POST', '/operator/dead/discard', { all: true, limit: 100 });
    expect(status).toBe(200);
  }
};

beforeAll(async () => {
  await reset();
  await discardAll();
}, 90_000);

afterAll(async () => {
  await shell.close();
  await api.call('POST', '/operator/intake', { state: 'open' });
  await api.setCapacity(stageCapacity);
  await resumeConsumer();
}, 60_000);

/** Two looks of the reconciler end a drain; by its schedule they take two minutes. */
const hurried = async <T>(work: Promise<T>): Promise<T> => {
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  ended.catch(() => undefined);
  await eventually(
    async () => {
      if (!done) await reconcile().catch(() => undefined);
      expect(done).toBe(true);
    },
    { withinMs: 120_000, everyMs: 200 },
  );
  return ended;
};

const answersIn = (output: string): readonly unknown[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): unknown => JSON.parse(line));

const check = ({ line, expected }: Block, output: string): void => {
  const where = `RUNBOOK.md, line ${line}`;
  const answers = answersIn(output);
  for (const answer of answers) expect(answer, `${where}: a refusal`).not.toHaveProperty('requestId');
  if (expected?.kind === 'text' && !fits(output, expected.text)) expect(output, where).toBe(expected.text);
  if (expected?.kind === 'json') {
    expect(answers.length, `${where}: answers`).toBeGreaterThan(0);
    const written: unknown = JSON.parse(expected.text);
    for (const answer of answers) expect(unwritten(answer, written), `${where}: not in the JSON below it`).toEqual([]);
  }
};

const runBlock = async (block: Block): Promise<void> => {
  const drains = /intake drain(?!.*--no-wait)/.test(block.text);
  const running = shell.run(block.text).catch((error: unknown) => {
    throw new Error(`RUNBOOK.md, line ${block.line}: ${error instanceof Error ? error.message : error}`);
  });
  check(block, await (drains ? hurried(running) : running));
};

describe('the runbook', () => {
  test('npx sluice starts the command line of this clone', () => {
    const { stdout } = spawnSync('npx', ['--offline', 'sluice', '--version'], { cwd: projectRoot, encoding: 'utf8' });
    expect(stdout.trim()).toBe(packageJson.version);
  });

  test.each(blocks.map((block) => [block.line, block] as const))('line %i is right for a shell', (_, { text }) => {
    const { stderr, status } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  test('the scripts that it runs exist', () => {
    const named = [
      ...blocks
        .map(({ text }) => text)
        .join('\n')
        .matchAll(/npm run ([\w:]+)/g),
    ].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining(['local:up', 'local:down', 'deploy']));
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(named));
  });

  test('every variable that it asks a reader for is one that this test gives', () => {
    const asked = new Set([...sections.values()].flat().flatMap(demandsOf));
    expect([...asked].toSorted()).toEqual(['API_URL', 'CAPACITY', 'DEAD_ID', 'JOB_ID']);
  });

  test.each([...sections])('%s: its commands do what it says', { timeout: 120_000 }, async (section, own) => {
    for (const block of own) await runBlock(block);
    // From here on there are dead jobs to work on.
    if (section === safetyCheck) await shell.run(await given());
  });
});
