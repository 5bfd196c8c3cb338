import type { Template } from 'aws-cdk-lib/assertions';
import { resourceOf, resourcesOf } from './synthesize.ts';

/** Short names for the things that rights are given over, by how their logical ids start. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^TablesJobs/, 'jobs'],
  [/^TablesLedger/, 'ledger'],
  [/^QueueJobs/, 'queue'],
  [/^QueueDeadLetters/, 'dead-letters'],
  [/^Mapping/, 'mapping'],
  [/^Key/, 'key'],
  [/Logs[0-9A-F]{8}$/, 'own-logs'],
];

const nameOf = (logicalId: string): string => {
  const [, name] = names.find(([pattern]) => pattern.test(logicalId)) ?? [];
  if (name === undefined) throw new Error(`No short name for ${logicalId}.`);
  return name;
};

/** An ARN in a template to a short name: `jobs`, `jobs/index/dead`, `*`. */
const resourceName = (arn: unknown): string => {
  if (typeof arn === 'string') return arn;
  if (typeof arn === 'object' && arn !== null) {
    if ('Fn::GetAtt' in arn && Array.isArray(arn['Fn::GetAtt'])) return nameOf(String(arn['Fn::GetAtt'][0]));
    if ('Fn::Join' in arn && Array.isArray(arn['Fn::Join'])) {
      const parts: unknown[] = arn['Fn::Join'][1];
      const last = parts.at(-1);
      if (typeof last === 'string') return `${resourceName(parts.at(-2))}${last}`;
      if (typeof last === 'object' && last !== null && 'Ref' in last) return nameOf(String(last.Ref));
    }
  }
  throw new Error(`Cannot name ${JSON.stringify(arn)}.`);
};

const asArray = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);

/** The three conditions that are used, in words. Throws on any other. */
const conditionOf = (condition: Record<string, Record<string, unknown>> | undefined, functionName: string): string => {
  if (condition === undefined) return '';
  const [[operator, test] = ['', {}], ...others] = Object.entries(condition);
  const text = JSON.stringify(Object.values(test));
  switch (others.length === 0 ? `${operator} ${Object.keys(test)}` : '') {
    case 'StringEquals kms:ViaService':
      return ` via ${[...text.matchAll(/"([a-z]+)\./g)].map(([, service]) => service).join(' and ')}`;
    case 'ArnEquals lambda:SourceFunctionArn':
      if (text.includes(`:function:${functionName}"`)) return ' by its code';
      break;
    // The keys of items that a statement leaves out.
    case 'ForAllValues:StringNotEquals dynamodb:LeadingKeys':
      return ` except ${Object.values(test).flat().join(', ')}`;
  }
  throw new Error(`The condition ${JSON.stringify(condition)} is not expected.`);
};

/** All that the Lambda of this name may do, as sorted lines `action resource`, and `not action resource` for a Deny. */
export const rightsOf = (template: Template, lambda: string): string[] => {
  const { Properties: properties } = resourceOf(template, 'AWS::Lambda::Function', lambda);
  const roleId: string = properties.Role['Fn::GetAtt'][0];
  const role = resourcesOf(template, 'AWS::IAM::Role')[roleId]?.Properties;
  if (role?.ManagedPolicyArns || role?.Policies) throw new Error(`${lambda} has rights outside of its own policy.`);
  const rights = Object.values(resourcesOf(template, 'AWS::IAM::Policy'))
    .filter(({ Properties: policy }) => policy.Roles.some((attached: { Ref: string }) => attached.Ref === roleId))
    .flatMap(({ Properties: policy }) => policy.PolicyDocument.Statement)
    .flatMap((statement) => {
      const condition = conditionOf(statement.Condition, properties.FunctionName);
      const not = statement.Effect === 'Deny' ? 'not ' : '';
      return asArray<string>(statement.Action).flatMap((action) =>
        asArray(statement.Resource).map((resource) => `${not}${action} ${resourceName(resource)}${condition}`),
      );
    });
  return [...new Set(rights)].sort();
};
