import type { Template } from './assembly.ts';

/** A resource that stays when its stack is destroyed. */
export interface Retained {
  readonly type: string;
  readonly name: string;
  /** How to get rid of it, or why not to. */
  readonly advice: string;
}

const advices: Readonly<Record<string, (name: string) => string>> = {
  'AWS::DynamoDB::Table': (name) =>
    `aws dynamodb update-table --table-name ${name} --no-deletion-protection-enabled && aws dynamodb delete-table --table-name ${name}`,
  'AWS::Logs::LogGroup': (name) => `aws logs delete-log-group --log-group-name ${name}`,
  'AWS::ApiGateway::Account': () => 'a setting of the account and region, which its other APIs may need',
  'AWS::IAM::Role': () => 'the role of that setting; it goes with the last API',
};

/** What a stack leaves behind, by its template; `physicalIds` has the names by logical id. */
export const retainedOf = (template: Template, physicalIds: ReadonlyMap<string, string>): readonly Retained[] =>
  Object.entries(template.Resources)
    .filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain')
    .map(([id, { Type }]) => {
      const name = physicalIds.get(id) ?? id;
      return { type: Type, name, advice: advices[Type]?.(name) ?? 'delete it by hand when nobody needs it' };
    });
