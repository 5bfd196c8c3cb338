import { AwsClient } from 'aws4fetch';
import { emulatorCredentials } from '../../../localstack/places.ts';
import type { Credentials } from './client.ts';

const account = '000000000000';

export const userArn = (name: string): string => `arn:aws:iam::${account}:user/${name}`;

/** A role's trust: who may assume it. */
export const trustOf = (principal: object): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: principal }],
  });

const allowing = (Action: string, Resource: string): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource }] });

/** IAM and STS by signed calls in their query protocol: two services of which tests need a handful of calls. */
const versions = { iam: '2010-05-08', sts: '2011-06-15' } as const;

export class Identities {
  readonly #endpointUrl: string;

  constructor(endpointUrl: string) {
    this.#endpointUrl = endpointUrl;
  }

  /** Calls an action and returns the answer's XML. Throws with it when the action is refused. */
  async call(
    service: keyof typeof versions,
    Action: string,
    parameters: Readonly<Record<string, string>>,
    credentials: Credentials = emulatorCredentials,
  ): Promise<string> {
    const aws = new AwsClient({ ...credentials, service, region: 'us-east-1', retries: 0 });
    const response = await aws.fetch(this.#endpointUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ Action, Version: versions[service], ...parameters })),
    });
    const xml = await response.text();
    if (!response.ok) throw new Error(`${service} refused ${Action}: ${xml}`);
    return xml;
  }

  /** A new user with these managed policies. */
  async user(UserName: string, ...policyArns: string[]): Promise<Credentials> {
    await this.call('iam', 'CreateUser', { UserName });
    for (const PolicyArn of policyArns) await this.call('iam', 'AttachUserPolicy', { UserName, PolicyArn });
    // What a user may assume is decided by the role's trust; AWS asks for no more within one account.
    const PolicyDocument = allowing('sts:AssumeRole', `arn:aws:iam::${account}:role/*`);
    await this.call('iam', 'PutUserPolicy', { UserName, PolicyName: 'assume', PolicyDocument });
    return this.createKey(UserName);
  }

  /** A new role with these managed policies, which this user may assume; the result makes its sessions. */
  async role(
    RoleName: string,
    trusted: string,
    ...policyArns: string[]
  ): Promise<(session: string, by: Credentials) => Promise<Required<Credentials>>> {
    const AssumeRolePolicyDocument = trustOf({ AWS: userArn(trusted) });
    const xml = await this.call('iam', 'CreateRole', { RoleName, AssumeRolePolicyDocument });
    for (const PolicyArn of policyArns) await this.call('iam', 'AttachRolePolicy', { RoleName, PolicyArn });
    const arn = element(xml, 'Arn');
    return (session, by) => this.assume(arn, session, by);
  }

  async createKey(UserName: string): Promise<Credentials> {
    const xml = await this.call('iam', 'CreateAccessKey', { UserName });
    return { accessKeyId: element(xml, 'AccessKeyId'), secretAccessKey: element(xml, 'SecretAccessKey') };
  }

  /** A session of a role, for whoever the role trusts and may assume it. */
  async assume(RoleArn: string, RoleSessionName: string, by: Credentials): Promise<Required<Credentials>> {
    const xml = await this.call('sts', 'AssumeRole', { RoleArn, RoleSessionName }, by);
    return {
      accessKeyId: element(xml, 'AccessKeyId'),
      secretAccessKey: element(xml, 'SecretAccessKey'),
      sessionToken: element(xml, 'SessionToken'),
    };
  }
}

/** The text of the first element of this name. */
const element = (xml: string, name: string): string => {
  const [, text] = new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml) ?? [];
  if (text === undefined) throw new Error(`there is no ${name} in: ${xml}`);
  return text;
};
