import { describe, expect, test } from 'vitest';
import { bulkLike, jobLike, someId, statusLike } from './support/answers.ts';
import { type Call, fakeApi, problem } from './support/fake-api.ts';
import { sluiceAt } from './support/sluice.ts';

const id = someId(1);
/** Spelled as no serializer of ours would, so that a copy that was parsed on the way shows. */
const odd = (value: object): string => JSON.stringify({ ...value, unknown: '☃\u009b' }).replace('{', '{ "3.0": 3.0, ');

const bodies: readonly (readonly [RegExp, string])[] = [
  [/^(GET|POST) \/(operator\/)?jobs\/[0-9a-f]+/, odd(jobLike())],
  [/^GET \/operator\/(jobs|dead)/, odd({ jobs: [] })],
  [/^POST \/jobs/, odd(jobLike())],
  [/^POST \/operator\/dead/, odd(bulkLike())],
  [/./, odd(statusLike({ intake: 'drained' }))],
];
const bodyFor = ({ method, path }: Call): string =>
  bodies.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1] ?? '';

describe('--json prints what the API answers, byte by byte', () => {
  test.for([
    'status',
    'job submit ledger.credit {}',
    `job show ${id}`,
    'job list',
    `job cancel ${id}`,
    `job wait ${id}`,
    'dead list',
    `dead redrive ${id}`,
    'dead discard --all --yes',
    'intake status',
    'intake open',
    'intake close --yes',
    'intake drain --yes',
    'consumer pause --no-wait',
    'consumer resume',
    'capacity show',
    'capacity set 100',
    'watch --count 1',
  ])('%s', async (line) => {
    const api = await fakeApi((call) => ({ body: bodyFor(call) }));
    const { out } = await sluiceAt(api)(`${line} --json`);
    const [last] = api.calls.slice(-1);
    expect(out).toEqual([last && bodyFor(last)]);
  });

  test('a refusal too', async () => {
    const refusal = problem(404, 'job-not-found');
    const api = await fakeApi(() => refusal);
    const outcome = await sluiceAt(api)(`job show ${id} --json`);
    expect(outcome).toMatchObject({ code: 1, out: [JSON.stringify(refusal.body)] });
  });

  test('a list over several pages has a page a line', async () => {
    const page = (cursor?: string) => ({ jobs: [jobLike(), jobLike()], ...(cursor && { cursor }) });
    const api = await fakeApi(({ query }) => ({ body: query.has('cursor') ? page() : page('next') }));
    const { out } = await sluiceAt(api)('job list --limit 3 --state dead --json');
    expect(out).toEqual([JSON.stringify(page('next')), JSON.stringify(page())]);
    expect(api.calls.map(({ query }) => String(query))).toEqual([
      'state=dead&limit=3',
      'state=dead&limit=1&cursor=next',
    ]);
  });

  test('on a terminal, control characters are spelled as escapes, which mean the same', async () => {
    const api = await fakeApi(() => ({ body: odd(statusLike()) }));
    const { out } = await sluiceAt(api)('status --json', { terminal: true });
    expect(out[0]).toContain('\\u009b');
    expect(JSON.parse(out[0] ?? '')).toEqual(JSON.parse(odd(statusLike())));
  });
});
