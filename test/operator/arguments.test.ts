import { describe, expect, test } from 'vitest';
import { someId } from './support/answers.ts';
import { fakeApi } from './support/fake-api.ts';
import { sluice, sluiceAt } from './support/sluice.ts';

const id = someId(1);

describe('a wrong command line ends with 2, says what is wrong, and asks nothing of the API', () => {
  test.for([
    ['', 'Usage: sluice'],
    ['jobs', "unknown command 'jobs'"],
    ['job', 'Usage: sluice job'],
    ['status now', 'too many arguments'],
    ['status --jsn', 'Did you mean --json?'],
    ['job show', "missing required argument 'id'"],
    ['job show xyz', 'Not an id: xyz'],
    ['job show ../operator/status', 'Not an id'],
    [`job show ${id.toUpperCase().replaceAll('0', 'A')}`, 'Not an id'],
    [`job show stray-${id}`, 'Not an id'],
    ['job list --limit 0', 'whole number from 1'],
    ['job list --limit 1.5', 'whole number from 1'],
    ['job list --state done', 'Give one of queued'],
    ['job submit ledger.credit', "missing required argument 'payload'"],
    ['job submit ledger.credit {bad', 'the payload is not JSON'],
    ['job submit ledger.credit @/nonexistent.json', 'The payload cannot be read'],
    ['job submit ledger.credit {} --key schlüssel', 'A key has only'],
    ['job submit ledger.credit {} --delay 901', 'from 0 to 900'],
    [`job wait ${id} --timeout soon`, 'whole number'],
    ['dead redrive', 'either ids, or a filter, or --all'],
    [`dead redrive ${id} --all`, 'either ids, or a filter, or --all'],
    [`dead discard ${id} --reason worker-lost`, 'either ids, or a filter, or --all'],
    ['dead redrive --before yesterday', 'Give how long ago'],
    ['dead redrive --before 2026-01-31T12:00:00', 'Give how long ago'],
    ['dead redrive --all --rate 101', 'from 1 to 100'],
    ['dead discard --all --force', "unknown option '--force'"],
    ['dead redrive --all', 'takes --yes'],
    ['dead discard --reason forged', 'takes --yes'],
    ['intake close', 'takes --yes'],
    ['intake drain --cancel', 'takes --yes'],
    ['capacity set', "missing required argument 'n'"],
    ['capacity set 0', 'from 1 to 100000'],
    ['capacity set 100001', 'from 1 to 100000'],
    ['completion fish', "unknown command 'fish'"],
  ] as const)('sluice %s', async ([line, said]) => {
    const api = await fakeApi(() => ({ status: 500 }));
    const outcome = await sluiceAt(api)(line === '' ? [] : line);
    expect(outcome.all).toContain(said);
    expect(outcome).toMatchObject({ code: 2, out: [] });
    expect(api.calls).toEqual([]);
  });
});

describe('the API', () => {
  test('is not guessed: without a name and without a local stack it is 2', async () => {
    const outcome = await sluice(['status'], { outputsFile: '/nonexistent' });
    expect(outcome).toMatchObject({ code: 2, out: [] });
    expect(outcome.all).toContain('--stack');
  });

  test.for(['ftp://example.com', 'example.com', 'http://example.com/v1', ''])('is not spoken to at %j', async (url) => {
    const outcome = await sluice(['status', '--api-url', url]);
    expect(outcome).toMatchObject({ code: 2, out: [] });
  });
});

describe('help', () => {
  /** Every command with all of its words, and what its help says. */
  const helps = async (path: readonly string[] = []): Promise<readonly (readonly [string, string])[]> => {
    const { code, out, notes } = await sluice([...path, '--help']);
    expect({ code, notes }).toEqual({ code: 0, notes: [] });
    const text = out.join('\n');
    const [, commands = ''] = text.split('\nCommands:\n');
    const names = [...commands.matchAll(/^ {2}([a-z]+)/gm)].flatMap(([, name]) =>
      name && name !== 'help' ? [name] : [],
    );
    if (names.length === 0) return [[path.join(' '), text]];
    return (await Promise.all(names.map((name) => helps([...path, name])))).flat();
  };

  test('of every command has examples, and each is understood', { timeout: 60_000 }, async () => {
    const all = await helps();
    expect(all.length).toBeGreaterThanOrEqual(21);
    for (const [path, text] of all) {
      const lines = [...text.matchAll(/^ {2}\$ sluice (.*)$/gm)].map(([, line = '']) => line);
      expect(lines, path).not.toEqual([]);
      for (const line of lines) {
        expect(line.startsWith(path), line).toBe(true);
        // What a shell would take away: quotes, and what comes behind a pipe.
        const words =
          (line.split(/ [|>] /)[0] ?? '').match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
        const { all: said, code } = await sluice([...words, '--api-url', 'http://127.0.0.1:9/v1']);
        const understood = code !== 2 || /takes --yes|cannot be read/.test(said);
        expect({ line, said, understood }).toMatchObject({ understood: true });
      }
    }
  });
});
