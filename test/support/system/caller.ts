import { randomBytes } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { ApiClient } from './client.ts';
import { outputs } from './stack.ts';

const iam = new AwsClient({ accessKeyId: 'test', secretAccessKey: 'test', service: 'iam', region: outputs.region });

const callIam = async (action: string, parameters: Readonly<Record<string, string>>): Promise<string> => {
  const response = await iam.fetch(outputs.endpointUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ Action: action, Version: '2010-05-08', ...parameters })),
  });
  const xml = await response.text();
  if (!response.ok) throw new Error(`IAM refused ${action}: ${xml}`);
  return xml;
};

const element = (xml: string, name: string): string => {
  const [, text] = new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml) ?? [];
  if (text === undefined) throw new Error(`IAM's answer has no ${name}: ${xml}`);
  return text;
};

const created = new Set<string>();

/** Somebody else: an IAM user with a new key pair. Unless it is named, it is a user who has never called before. */
export const anotherCaller = async (UserName = `caller-${randomBytes(6).toString('hex')}`): Promise<ApiClient> => {
  if (!created.has(UserName)) await callIam('CreateUser', { UserName });
  created.add(UserName);
  const xml = await callIam('CreateAccessKey', { UserName });
  return new ApiClient(outputs.apiUrl, {
    accessKeyId: element(xml, 'AccessKeyId'),
    secretAccessKey: element(xml, 'SecretAccessKey'),
  });
};
