import type { Answer } from '../../client.ts';
import { problemAnswer } from '../answers.ts';
import type { Session } from '../session.ts';
import { type Check, fail, ok, warn } from './check.ts';

/** AWS refuses requests signed more than five minutes ago, or ahead. */
const skewFailSeconds = 240;
const skewWarnSeconds = 30;

/** This machine's clock against the API's, which tells whole seconds. `sentAt` and `cameAt` in epoch milliseconds. */
export const checkClock = ({ headers }: Answer, sentAt: number, cameAt: number): Check => {
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return warn('clock', 'The API tells no time.', 'Is something between here and the API?');
  // Between sending and answer any moment may be the one that was told, and up to a second of it is cut off.
  const ahead = Math.max(0, sentAt - (theirs + 1_000)) / 1000;
  const behind = Math.max(0, theirs - cameAt) / 1000;
  const off = Math.round(Math.max(ahead, behind));
  const detail = `This machine's clock is ${off === 0 ? 'right to the second' : `${off} s ${ahead > behind ? 'ahead' : 'behind'}`}.`;
  if (off < skewWarnSeconds) return ok('clock', detail);
  const fix = 'Set it by NTP (timedatectl set-ntp true): AWS refuses signatures that are five minutes off.';
  return off < skewFailSeconds ? warn('clock', detail, fix) : fail('clock', detail, fix);
};

const probes = [
  {
    name: 'right to read own jobs',
    path: '/jobs?limit=1',
    expected: 200,
    fix: 'Allow execute-api:Invoke on …/GET/jobs*',
  },
  {
    // Without its key it is refused by us, after IAM has let it through.
    name: 'right to submit',
    path: '/jobs',
    body: {},
    expected: 400,
    fix: 'Allow execute-api:Invoke on …/POST/jobs*',
  },
  {
    name: 'right to see as operator',
    path: '/operator/status',
    expected: 200,
    fix: 'Allow execute-api:Invoke on …/GET/operator*',
  },
  {
    name: 'right to change as operator',
    path: '/operator/dead/redrive',
    body: { all: true, limit: 1, dryRun: true },
    expected: 200,
    fix: 'Allow execute-api:Invoke on …/POST/operator*',
  },
] as const satisfies readonly { path: `/${string}`; [name: string]: unknown }[];

/** Tries each of the four rights with a call that changes nothing. */
export const checkRights = (session: Session): Promise<readonly Check[]> =>
  Promise.all(
    probes.map(async (probe): Promise<Check> => {
      const { name, path, expected, fix } = probe;
      const body = 'body' in probe ? probe.body : undefined;
      const { status, body: answered } = await session.raw(body === undefined ? 'GET' : 'POST', path, body);
      if (status === expected) return ok(name, 'granted');
      const code = problemAnswer.safeParse(answered).data?.code ?? 'no code of this API';
      if (code === 'forbidden') return warn(name, 'not granted', `${fix}, if this caller should have it.`);
      return fail(
        name,
        `the answer was ${status}, ${code}`,
        fixes[code] ?? 'Look at the log of the function, by the request id.',
      );
    }),
  );

const fixes: Readonly<Record<string, string>> = {
  'caller-unknown': 'The key pair belongs to nobody there: check the profile, the account and the region.',
  unavailable: 'DynamoDB, SQS or Lambda did not answer: look at their service health, then at the log of the function.',
  'rate-limited': "The gateway's throttle is reached: find out who calls so often.",
  'no code of this API': 'Is this the URL of the API? It ends in its stage, /v1 for one that CDK deployed.',
};
