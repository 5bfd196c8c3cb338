import { Stack, Token } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Network } from './network.ts';
import type { JobSettings } from './settings.ts';

/** What all parts of one job system share. */
export interface JobSystem {
  /** Functions, queues, alarms and dashboard are named after it, and it is the dimension of every metric. */
  readonly name: string;
  readonly settings: JobSettings;
  /** Encrypts tables, queues and logs; without it AWS's own keys do. */
  readonly key: IKey | undefined;
  /** Where the functions run; without it outside of any VPC. */
  readonly network: Network | undefined;
}

/** Lambda allows 64 characters, and the longest name of a function ends in `-reconcile`. */
const nameCharsMax = 54;

/**
 * The name of a job system: the one given, else the stack's with the ids of the constructs below it. It must be known at
 * synth, since queues refer to each other by it.
 */
export const systemNameOf = (scope: Construct, given: string | undefined): string => {
  const stack = Stack.of(scope);
  const ids = scope.node.scopes
    .slice(stack.node.scopes.length)
    .map(({ node }) => node.id)
    .filter((id) => id !== 'Default');
  const name = given ?? [stack.stackName, ...ids].join('-');
  if (Token.isUnresolved(name)) {
    throw new Error('The name of a job system in a nested stack is not known at synth. Give it one: name.');
  }
  if (!new RegExp(`^[A-Za-z][A-Za-z0-9-]{0,${nameCharsMax - 1}}$`).test(name)) {
    throw new Error(
      `The job system's name "${name}" must begin with a letter and have 1 to ${nameCharsMax} characters of ` +
        'A-Z a-z 0-9 -, since functions and queues are named after it. Give it another one: name, or the stack’s.',
    );
  }
  return name;
};
