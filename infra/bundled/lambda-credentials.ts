/**
 * Stands for `@aws-sdk/credential-provider-node` inside the bundles: a Lambda has the credentials of its role in its
 * environment, for as long as the environment lives. Source: "Working with Lambda environment variables" in the Lambda
 * guide. Throws when they are not there, so that a function that runs elsewhere says why.
 */
export const defaultProvider = () => async () => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  const { AWS_SESSION_TOKEN: sessionToken } = process.env;
  if (!accessKeyId || !secretAccessKey) throw new Error('the environment holds no credentials, as a Lambda does');
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
};
