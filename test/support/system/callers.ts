import { writeFileSync } from 'node:fs';
import type { LocalOutputs } from '../../../localstack/outputs.ts';
import type { Credentials } from './client.ts';
import { Identities } from './identities.ts';

/** Sessions of two roles that have the product's own policies, and no other right. */
export interface Callers {
  readonly submitter: Required<Credentials>;
  readonly operator: Required<Credentials>;
  /** A credentials file in which the operator's session is the profile `operator`, for the command line. */
  readonly credentialsFile: string;
}

const profileOf = (name: string, { accessKeyId, secretAccessKey, sessionToken }: Required<Credentials>): string =>
  [
    `[${name}]`,
    `aws_access_key_id = ${accessKeyId}`,
    `aws_secret_access_key = ${secretAccessKey}`,
    `aws_session_token = ${sessionToken}\n`,
  ].join('\n');

/** Makes both roles, and the one user who may assume them. */
export const makeCallers = async (
  { endpointUrl, submitPolicyArn, operatePolicyArn }: LocalOutputs,
  credentialsFile: string,
): Promise<Callers> => {
  const identities = new Identities(endpointUrl);
  const person = await identities.user('test-person');
  const sessionOf = async (name: string, policyArn: string) =>
    (await identities.role(name, 'test-person', policyArn))('test-run', person);
  const submitter = await sessionOf('test-submitter', submitPolicyArn);
  const operator = await sessionOf('test-operator', operatePolicyArn);
  writeFileSync(credentialsFile, profileOf('operator', operator), { mode: 0o600 });
  return { submitter, operator, credentialsFile };
};
