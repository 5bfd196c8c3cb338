import { Logger } from '@aws-lambda-powertools/logger';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { systemClock } from '#adapters/system-world.ts';
import { json } from '#functions/http/answer.ts';
import { makeApi } from '#functions/http/router.ts';

const logger = new Logger({ logLevel: 'SILENT' });

/** What an API answers that tells its caller's scope, to a call with this request context. */
const ask = async (who: object, tenantClaim?: string) => {
  const route = {
    method: 'GET',
    path: '/who',
    answer: async ({ scope }: { scope: string }) => json(200, { scope }),
  } as const;
  const api = makeApi([route], { clock: systemClock }, logger, tenantClaim);
  const call = { httpMethod: 'GET', path: '/who' };
  const empty = { queryStringParameters: null, multiValueQueryStringParameters: null, stageVariables: null };
  const event = {
    ...{ ...call, ...empty, resource: '/who', pathParameters: null, headers: {}, body: null, isBase64Encoded: false },
    requestContext: { ...call, requestId: 'request', ...who },
  };
  const context = { getRemainingTimeInMillis: () => 5_000 } as Context;
  const { statusCode, body } = await api(event as unknown as APIGatewayProxyEvent, context);
  return { status: statusCode, ...JSON.parse(body) };
};
const identity = { accountId: '000000000000', caller: 'AROAEXAMPLE:monday' };
const nobody = { status: 403, code: 'caller-unknown' };

describe('who calls', () => {
  it('is the role or user without its session', async () => {
    expect(await ask({ identity })).toEqual({ status: 200, scope: '000000000000/AROAEXAMPLE' });
    expect(await ask({ identity: { ...identity, caller: 'AIDAEXAMPLE' } })).toMatchObject({
      scope: '000000000000/AIDAEXAMPLE',
    });
  });

  it.each([
    ['no request context to speak of', {}],
    ['no identity', { identity: null }],
    ['an identity of nobody', { identity: { accountId: null, caller: null } }],
    ['no account', { identity: { ...identity, accountId: null } }],
    ['a session without a role', { identity: { ...identity, caller: ':monday' } }],
  ])('%s: 403 caller-unknown', async (_, context) => {
    expect(await ask(context)).toMatchObject(nobody);
  });

  it('is the claim where the stage names one, and never the IAM identity beside it', async () => {
    expect(await ask({ identity, authorizer: { claims: { org: 'acme' } } }, 'org')).toMatchObject({
      scope: 'claim/acme',
    });
    expect(await ask({ identity, authorizer: { org: 'acme' } }, 'org')).toMatchObject({ scope: 'claim/acme' });
    expect(await ask({ identity }, 'org')).toMatchObject(nobody);
    expect(await ask({ identity, authorizer: { claims: { org: '' } } }, 'org')).toMatchObject(nobody);
  });
});
