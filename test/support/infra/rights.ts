import type { Template } from 'aws-cdk-lib/assertions';
import { resourceOf, resourcesOf } from './synthesize.ts';

/** Short names for the things that rights are given over, by how their logical ids start. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^TablesJobs/, 'jobs'],
  [/^TablesLedger/, 'ledger'],
  [/^QueueJobs/, 'queue'],
  [/^QueueDeadLetters/, 'dead-letters'],
  [/^Mapping/, 'mapping'],
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

/** Everything that the Lambda of this name may do, as sorted lines `action resource`. Throws on a Deny or a condition. */
export const rightsOf = (template: Template, lambda: string): string[] => {
  const { Properties: properties } = resourceOf(template, 'AWS::Lambda::Function', lambda);
  const roleId: string = properties.Role['Fn::GetAtt'][0];
  const role = resourcesOf(template, 'AWS::IAM::Role')[roleId]?.Properties;
  if (role?.ManagedPolicyArns || role?.Policies) throw new Error(`${lambda} has rights outside of its own policy.`);
  const rights = Object.values(resourcesOf(template, 'AWS::IAM::Policy'))
    .filter(({ Properties: policy }) => policy.Roles.some((attached: { Ref: string }) => attached.Ref === roleId))
    .flatMap(({ Properties: policy }) => policy.PolicyDocument.Statement)
    .flatMap((statement) => {
      if (statement.Effect !== 'Allow' || statement.Condition)
        throw new Error('Neither Deny nor Condition is expected.');
      return asArray<string>(statement.Action).flatMap((action) =>
        asArray(statement.Resource).map((resource) => `${action} ${resourceName(resource)}`),
      );
    });
  return [...new Set(rights)].sort();
};
