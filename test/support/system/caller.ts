import { randomBytes } from 'node:crypto';
import { ApiClient } from './client.ts';
import { Identities } from './identities.ts';
import { outputs } from './stack.ts';

const identities = new Identities(outputs.endpointUrl);
const created = new Set<string>();

/** Somebody else: an IAM user with a new key pair. Unless it is named, it is a user who has never called before. */
export const anotherCaller = async (name = `caller-${randomBytes(6).toString('hex')}`): Promise<ApiClient> => {
  if (!created.has(name)) await identities.createUser(name);
  created.add(name);
  return new ApiClient(outputs.apiUrl, await identities.createKey(name));
};
