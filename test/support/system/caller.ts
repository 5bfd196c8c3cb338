import { randomBytes } from 'node:crypto';
import { ApiClient, type Credentials } from './client.ts';
import { Identities } from './identities.ts';
import { outputs } from './stack.ts';

const identities = new Identities(outputs.endpointUrl);
const created = new Set<string>();

const keyOf = (name: string): Promise<Credentials> =>
  created.has(name) ? identities.createKey(name) : identities.user(name, outputs.submitPolicyArn);

/** Another submitter: an IAM user with a new key pair. Unless it is named, it is a user who has never called before. */
export const anotherCaller = async (name = `caller-${randomBytes(6).toString('hex')}`): Promise<ApiClient> => {
  const credentials = await keyOf(name);
  created.add(name);
  return new ApiClient(outputs.apiUrl, credentials);
};
