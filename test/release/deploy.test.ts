import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { contextOf } from '../../deploy/assembly.ts';
import { cdkEnvironment } from '../../localstack/deploy.ts';
import { localDirectory, projectRoot } from '../../localstack/places.ts';
import { synthesize } from '../../localstack/synth.ts';
import items from '../fixtures/upgrade/items.json' with { type: 'json' };
import messages from '../fixtures/upgrade/messages.json' with { type: 'json' };
import { writeBrokenAssembly, writeEarlierAssembly } from '../support/release/other-assemblies.ts';
import { runCommand, runProgram } from '../support/release/run.ts';
import { DeployedSystem, type KeptItem, outputsOf } from '../support/release/system.ts';
import { eventually } from '../support/system/eventually.ts';

/*
 * The life of a deployment on one emulator, in this order: an earlier release, its jobs in flight, the present release over
 * them, a second stack beside it, the way back, the end. There has been no earlier release: its template is the present one
 * without what `other-assemblies.ts` names, its items and messages are kept fixtures, written by hand.
 */
const blue = ['--stage', 'local', '--name', 'sluice-blue'];
const green = ['--stage', 'local', '--name', 'sluice-green'];
const directory = mkdtempSync(`${localDirectory}/release-`);
const [earlier, broken] = [`${directory}/earlier`, `${directory}/broken`];
/** What `npm run deploy` keeps for the way back, for this emulator. */
const kept = `${localDirectory}/deployed/${new URL(inject('releaseEndpoint')).host.replace(':', '-')}`;

const systemOf = async (stackName: string): Promise<DeployedSystem> =>
  new DeployedSystem((await outputsOf(stackName)) ?? {});

beforeAll(async () => {
  rmSync(kept, { recursive: true, force: true });
  const present = await synthesize(contextOf({ stage: 'local', stackName: 'sluice-blue' }));
  writeEarlierAssembly(present, 'sluice-blue', earlier);
  writeBrokenAssembly(present, 'sluice-blue', broken);
}, 120_000);
afterAll(() => {
  for (const each of [directory, kept]) rmSync(each, { recursive: true, force: true });
});

describe('npm run deploy, before it changes anything', () => {
  test('names the command that bootstraps a region', async () => {
    const { code, notes } = await runCommand('deploy', ...blue, '--region', 'eu-west-1', '--yes');
    expect(notes).toContain('The region eu-west-1 of account 000000000000 is not bootstrapped');
    expect(notes).toContain('npx cdk bootstrap aws://000000000000/eu-west-1');
    expect(code).toBe(1);
  });

  test('wants --yes off a terminal', async () => {
    const { code, notes } = await runCommand('deploy', ...blue);
    expect(notes).toContain('--yes');
    expect(code).toBe(2);
    expect(await outputsOf('sluice-blue')).toBeUndefined();
  });

  test('says which stacks an assembly has, if not the one that was named', async () => {
    const { code, notes } = await runCommand('deploy', ...green, '--app', earlier, '--yes');
    expect(notes).toContain('--name sluice-blue');
    expect(code).toBe(1);
  });

  test('goes back to nothing where nothing was deployed', async () => {
    const { code, notes } = await runCommand('deploy', ...blue, '--rollback', '--yes');
    expect(notes).toContain('There is no such stack');
    expect(code).toBe(1);
  });
});

describe('an upgrade with jobs in flight', () => {
  /** Accepted while the upgrade ran. */
  const accepted = new Map<string, string>();

  test('the earlier release: the diff first, then outputs, then doctor and a job', { timeout: 120_000 }, async () => {
    const { code, out, notes } = await runCommand('deploy', ...blue, '--app', earlier, '--yes');
    expect({ code, notes }).toMatchObject({ code: 0 });
    expect(JSON.parse(out)).toEqual(await outputsOf('sluice-blue'));
    const at = (text: string) => notes.indexOf(text);
    const steps = ['[+] AWS::DynamoDB::Table', 'Deployment time', 'right to submit: granted', 'State      succeeded'];
    expect(steps.map(at)).toEqual(steps.map(at).toSorted((left, right) => left - right));
    expect(at(steps[0] ?? '')).toBeGreaterThan(0);
  });

  test('the present release over it, while jobs come in and run', { timeout: 180_000 }, async () => {
    const system = await systemOf('sluice-blue');
    for (const item of items) await system.put(item as unknown as KeptItem);
    await Promise.all([
      ...messages.queue.map((body) => system.send('QueueUrl', body)),
      ...messages.deadLetters.map((body) => system.send('DeadLetterQueueUrl', body)),
    ]);

    let upgraded = false;
    const submissions = (async () => {
      for (let i = 0; !upgraded; i++) {
        const key = `during-${i}`;
        // Every other one fails once, so that some are between two attempts.
        const payload = { account: key, amount: 1, failBefore: i % 2 };
        // A client repeats what got no clear answer, under the same key.
        const { body } = await eventually(async () => {
          const answer = await system.api.submit(key, 'test.scripted', payload);
          expect([200, 202]).toContain(answer.status);
          return answer;
        });
        accepted.set(key, body.id);
      }
    })();
    const { code, notes } = await runCommand('deploy', ...blue, '--yes').finally(() => {
      upgraded = true;
    });
    await submissions;
    expect({ code, notes }).toMatchObject({ code: 0 });
    // The diff is what the release adds, and exchanges no table.
    expect(notes).toContain('[+] AWS::CloudWatch::Dashboard');
    expect(notes).not.toMatch(/(requires|may cause) replacement/);
  });

  test('every job that was accepted meanwhile has its one effect', { timeout: 90_000 }, async () => {
    const system = await systemOf('sluice-blue');
    expect(accepted.size).toBeGreaterThan(10);
    for (const [account, id] of accepted) {
      await system.succeeded(id);
      expect({ account, writes: await system.writesTo(account) }).toEqual({ account, writes: 1 });
    }
  });

  const jobs = items.filter((item) => 'state' in item && 'key' in item);
  const idOf = (key: string): string => jobs.find((item) => item.key?.S === key)?.id.S ?? '';

  test.for(['queued', 'retrying', 'running', 'unsent'])(
    'a job that the earlier release left %s has its one effect',
    { timeout: 60_000 },
    async (state) => {
      const system = await systemOf('sluice-blue');
      await system.succeeded(idOf(`upgrade-${state}`));
      expect(await system.writesTo(`upgrade-${state}`)).toBe(1);
    },
  );

  test('its key still finds it', async () => {
    const { api } = await systemOf('sluice-blue');
    const payload = { account: 'upgrade-queued', amount: 1 };
    const { status, body } = await api.submit('upgrade-queued', 'ledger.credit', payload);
    expect({ status, id: body.id }).toEqual({ status: 200, id: idOf('upgrade-queued') });
  });

  test('a job that it left dead is listed and comes back', { timeout: 60_000 }, async () => {
    const system = await systemOf('sluice-blue');
    const id = idOf('upgrade-dead');
    const { body } = await system.api.call('GET', '/operator/dead?reason=permanent-error');
    expect(body.jobs).toMatchObject([{ id }]);
    expect((await system.api.call('POST', '/operator/dead/redrive', { ids: [id] })).body.moved).toBe(1);
    await system.succeeded(id);
    expect(await system.writesTo('upgrade-dead')).toBe(1);
  });

  test('a message of a job that had succeeded has no second effect, and nothing is left over', {
    timeout: 120_000,
  }, async () => {
    const system = await systemOf('sluice-blue');
    const calm = { total: 0, queued: 0, running: 0, retrying: 0 };
    // An API that was exchanged in the middle of a call leaves a slot without a record, which the reconciler frees half a
    // minute later on this stage; and one that was exchanged in the middle of a run holds its lock as long as it might run.
    await eventually(
      async () => {
        const report = await system.reconcile();
        const { inFlight, backlog, dead } = (await system.api.status()).body;
        const found = { inFlight, visible: backlog.visible, dead };
        expect(found, `${report}\n${await system.registry()}`).toEqual({ inFlight: calm, visible: 0, dead: 0 });
      },
      { withinMs: 100_000, everyMs: 500 },
    );
    expect(await system.writesTo('upgrade-succeeded')).toBe(0);
  });
});

describe('a second stack in the account, from a package without the sources', () => {
  // Nothing of this project lies above it, as it would for whoever has the package only.
  const elsewhere = mkdtempSync(`${tmpdir()}/sluice-package-`);
  afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

  test('is packed', { timeout: 120_000 }, async () => {
    const { code, out, notes } = await runCommand('package', ...green, '--out', elsewhere);
    expect({ code, out: out.trim(), notes }).toMatchObject({ code: 0, out: elsewhere });
    expect(readFileSync(`${elsewhere}/INSTALL.md`, 'utf8')).toContain('deploy --app assembly sluice-green');
  });

  test('is deployed by the CDK command alone, from the directory of the package', { timeout: 120_000 }, async () => {
    const cdk = `${projectRoot}/node_modules/aws-cdk/bin/cdk`;
    const { code, notes } = await runProgram(
      [cdk, 'deploy', '--app', 'assembly', 'sluice-green', '--require-approval', 'never', '--no-notices'],
      { cwd: elsewhere, env: cdkEnvironment(inject('releaseEndpoint')) },
    );
    expect({ code, notes }).toMatchObject({ code: 0 });
  });

  test('works, and the two know nothing of each other', { timeout: 60_000 }, async () => {
    const [first, second] = await Promise.all([systemOf('sluice-blue'), systemOf('sluice-green')]);
    const submitted = await second.api.submit('side-by-side', 'ledger.credit', { account: 'side', amount: 1 });
    expect(submitted.status).toBe(202);
    await second.succeeded(submitted.body.id);
    expect([await first.writesTo('side'), await second.writesTo('side')]).toEqual([0, 1]);
    expect((await first.api.job(submitted.body.id)).status).toBe(404);
  });
});

describe('the way back and the end', () => {
  test('a release that does not work is told, with the command that goes back, which does', {
    timeout: 120_000,
  }, async () => {
    const failed = await runCommand('deploy', ...blue, '--app', broken, '--yes');
    expect(failed.notes).toContain('sluice doctor found something wrong');
    expect(failed.notes).toContain('npm run deploy -- --stage local --name sluice-blue --rollback');
    expect(failed.code).toBe(1);
    const { code, notes } = await runCommand('deploy', ...blue, '--rollback', '--yes');
    expect({ code, notes }).toMatchObject({ code: 0 });
  });

  test('--rollback of one that works deploys what was there before it, and its jobs go on', {
    timeout: 120_000,
  }, async () => {
    const system = await systemOf('sluice-blue');
    const payload = { account: 'back', amount: 1, failBefore: 1 };
    const { body } = await system.api.submit('back', 'test.scripted', payload);
    const { code, notes } = await runCommand('deploy', ...blue, '--rollback', '--yes');
    expect({ code, notes }).toMatchObject({ code: 0 });
    expect(notes).toContain('[-] AWS::CloudWatch::Dashboard');
    await system.succeeded(body.id);
    expect(await system.writesTo('back')).toBe(1);
  });

  test('npm run destroy ends one stack and leaves the other alone', { timeout: 60_000 }, async () => {
    const { code, notes } = await runCommand('destroy', ...green, '--yes');
    expect({ code, notes }).toMatchObject({ code: 0 });
    expect(notes).toContain('Nothing is retained');
    expect(await outputsOf('sluice-green')).toBeUndefined();
    expect((await (await systemOf('sluice-blue')).api.status()).status).toBe(200);
  });

  test('and says so when there is no such stack', async () => {
    const { code, notes } = await runCommand('destroy', ...green, '--yes');
    expect(notes).toContain('There is no stack sluice-green in us-east-1 of account 000000000000');
    expect(code).toBe(1);
  });
});
