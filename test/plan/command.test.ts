import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../localstack/places.ts';
import { sluice } from '../operator/support/sluice.ts';

const words = (line: string) => line.split(' ');
const quick = 'plan --arrival 200 --service 0.3 --jobs 2000';

describe('sluice plan', { timeout: 30_000 }, () => {
  test('prints in docs/planning.md what it prints here', async () => {
    const page = readFileSync(`${projectRoot}/docs/planning.md`, 'utf8');
    const [, line = '', shown = ''] = /^npx sluice (plan .*)\n```\n[\s\S]*?```text\n([\s\S]*?)^```$/m.exec(page) ?? [];
    expect(line).toContain('--arrival');
    const { code, out } = await sluice(words(line));
    expect(code).toBe(0);
    expect(out.join('\n').startsWith(shown.trimEnd())).toBe(true);
    expect(shown).toContain('Breaks first');
  });

  test('asks no API, and finds none', async () => {
    const outcome = await sluice([...words(quick), '--api-url', 'http://127.0.0.1:9/v1'], {
      outputsFile: '/nonexistent',
    });
    expect(outcome).toMatchObject({ code: 0, notes: [] });
  });

  test('--json prints one line with the same figures', async () => {
    const { out } = await sluice([...words(quick), '--json']);
    expect(out).toHaveLength(1);
    const plan = JSON.parse(out[0] ?? '');
    const lines = (await sluice(words(quick))).out.join('\n');
    expect(lines).toContain(`capacity                ${plan.settings.capacity.toLocaleString('en-US')},`);
    expect(lines).toContain(`Breaks first            ${plan.quotas[0].what}, at about`);
    expect(JSON.stringify(plan)).not.toContain('null');
  });

  test('says how far it has come when it takes longer, on the notes alone', async () => {
    let now = 0;
    const { out, notes } = await sluice([...words(quick), '--jobs', '40000'], { tick: () => (now += 3_000) });
    expect(notes.length).toBeGreaterThan(1);
    for (const note of notes) expect(note).toMatch(/^[\d,]+ jobs simulated$/);
    expect(out.join('\n')).not.toContain('jobs simulated\n');
  });

  test('says what one stack cannot bear', async () => {
    const { out } = await sluice(words('plan --arrival 100000 --service 0.05 --bulk 25 --jobs 10000'));
    expect(out.join('\n')).toMatch(/^Beyond one stack .*index recent/m);
    expect((await sluice(words(quick))).out.join('\n')).not.toContain('Beyond one stack');
  });
});

describe('a load that cannot be planned ends with 2 and says what to change', () => {
  test.for([
    ['plan --service 0.3', "required option '--arrival <n>' not specified"],
    ['plan --arrival 200', "required option '--service <seconds>' not specified"],
    ['plan --arrival 0 --service 1', 'from 0.001 to 100000'],
    ['plan --arrival 1e5 --service 1', 'from 0.001 to 100000'],
    ['plan --arrival 200 --service -1', 'from 0.001 to 900'],
    ['plan --arrival 200 --service 1 --fail 1', 'from 0 to 0.99'],
    ['plan --arrival 200 --service 1 --distribution normal', 'Give one of exponential'],
    ['plan --arrival 200 --service 1 --jobs 400001', 'from 1000 to 400000'],
    ['plan --arrival 200 --service 1 --capacity 100001', 'from 1 to 100000'],
    ['plan --arrival 200 --service 1 --concurrency 1001', 'from 2 to 1000'],
    ['plan --arrival 200 --service 30', 'jobTimeoutSeconds (30)'],
    ['plan --arrival 200 --service 1 --concurrency 2', 'does not keep up'],
    ['plan --arrival 100000 --service 1 --concurrency 50', 'Give --jobs'],
    ['plan --arrival 1000 --service 29 --capacity 1 --jobs 1000', 'A capacity of 1 cannot be simulated at 1/582'],
  ] as const)('sluice %s', async ([line, said]) => {
    const outcome = await sluice(words(line));
    expect(outcome).toMatchObject({ code: 2, out: [] });
    expect(outcome.all).toContain(said);
  });
});
