import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Records why a rule of cdk-nag's AwsSolutions pack does not apply to a construct and what lies in it.
 * test/infra/nag.test.ts runs the pack over the production stage and lets nothing through but these.
 */
export const acknowledge = (construct: IConstruct, rule: string, reason: string): void =>
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
