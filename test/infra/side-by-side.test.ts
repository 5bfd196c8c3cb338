import { describe, expect, it } from 'vitest';
import { localStage, productionStage } from '#infra/stages.ts';
import { type Resource, templateOf } from '#test/support/infra/synthesize.ts';

/** Names that need not be anybody's own: within their API, or within their role. */
const shared: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::Stage': ['StageName'],
  'AWS::IAM::Policy': ['PolicyName'],
  'AWS::CloudWatch::Alarm': ['MetricName'],
};
/** What is one for all regions of an account: a name of its own would clash with the same stack in another region. */
const ofTheAccount = ['AWS::IAM::Role', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::User', 'AWS::S3::Bucket'];

const namesIn = (stackName: string, stage: typeof productionStage) =>
  Object.entries(templateOf(stage, stackName).toJSON()['Resources'] as Record<string, Resource>).flatMap(
    ([id, { Type, Properties }]) =>
      Object.entries(Properties ?? {})
        .filter(([key, value]) => /Name$/.test(key) && typeof value === 'string' && !shared[Type]?.includes(key))
        .map(([key, value]) => ({ what: `${Type} ${id} ${key}`, Type, value })),
  );

describe.each([productionStage, localStage])('two stacks of the $name stage in one account', (stage) => {
  const [first, second] = [namesIn('sluice-one', stage), namesIn('sluice-two', stage)];

  it('give every resource that has a name one of their own', () => {
    expect(first.length).toBeGreaterThan(10);
    expect(first.filter(({ value }) => second.some((other) => other.value === value))).toEqual([]);
  });

  it('leave the naming to CloudFormation where a name is one for all regions', () => {
    expect(first.filter(({ Type }) => ofTheAccount.includes(Type))).toEqual([]);
  });
});

it('no output of a stack is exported, which would be one name for the account and region', () => {
  const { Outputs } = templateOf(productionStage).toJSON();
  expect(Object.values(Outputs).filter((output) => Object.hasOwn(output as object, 'Export'))).toEqual([]);
});
