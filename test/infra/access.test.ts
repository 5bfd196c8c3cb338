import { Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { productionStage } from '#infra/stages.ts';
import { inStackOf, resourceOf } from '#test/support/infra/synthesize.ts';

/** `POST /jobs/*` of an ARN whose parts are joined: API, stage, method and path stand in its last text. */
const callOf = (arn: { 'Fn::Join': [string, unknown[]] }): string => {
  const parts = arn['Fn::Join'][1];
  expect(JSON.stringify(parts)).toMatch(/execute-api:.*"Ref":"HttpRest[0-9A-F]+".*"Ref":"HttpRestDeploymentStagev1/);
  const [, method, ...path] = String(parts.at(-1)).split('/');
  return `${method} /${path.join('/')}`;
};

const callsOf = (document: { Statement: { Effect: string; Action: string; Resource: never[] }[] }): string[] => {
  expect(document.Statement).toEqual([{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: expect.any(Array) }]);
  return document.Statement.flatMap((statement) => statement.Resource.map(callOf)).sort();
};

const submit = ['POST /jobs', 'GET /jobs', 'POST /jobs/*', 'GET /jobs/*'];
const operate = [...submit, 'GET /operator/*', 'POST /operator/*'];

describe('the two roles of callers', () => {
  const template = inStackOf(productionStage, (stack) => {
    const assumedBy = new AccountRootPrincipal();
    stack.grantSubmit(new Role(stack, 'Shop', { assumedBy }));
    stack.grantOperate(new Role(stack, 'Duty', { assumedBy }));
    return Template.fromStack(stack);
  });

  it.each([
    ['Submit', 'Shop', submit],
    ['Operate', 'Duty', operate],
  ] as const)('%s: the managed policy and the grant name the same calls, and no others', (id, role, calls) => {
    const policy = resourceOf(template, 'AWS::IAM::ManagedPolicy', `Access${id}`).Properties;
    expect(callsOf(policy.PolicyDocument)).toEqual(calls.toSorted());
    const granted = resourceOf(template, 'AWS::IAM::Policy', `${role}DefaultPolicy`).Properties;
    expect(callsOf(granted.PolicyDocument)).toEqual(calls.toSorted());
  });

  it('are outputs, so that they can be attached to what this app does not make', () => {
    for (const id of ['Submit', 'Operate']) {
      expect(Object.values(template.findOutputs(`${id}PolicyArn`))).toEqual([
        { Value: { Ref: expect.stringMatching(new RegExp(`^Access${id}`)) } },
      ]);
    }
  });
});
