import type { Answer } from '#test/support/system/client.ts';
import { faultsOf, operations } from './document.ts';

/** A number in a header is compared as one. */
const headerValue = (text: string, type: unknown): unknown => (type === 'integer' ? Number(text) : text);

/**
 * What an answer has that the document does not say of its call, or lacks of what it says: status, content type, required
 * headers, body, and the code of a problem. None: it is as described.
 */
export const differences = (call: string, answer: Answer): readonly string[] => {
  const response = operations.get(call)?.responses[answer.status];
  if (response === undefined) return [`${call} is not said to answer ${answer.status}: ${JSON.stringify(answer.body)}`];
  const headers = Object.entries(response.headers ?? {}).flatMap(([name, { required, schema }]) => {
    const value = answer.headers.get(name);
    if (value === null) return required ? [`the header ${name} is missing`] : [];
    return faultsOf(schema, headerValue(value, schema['type'])).map((fault) => `the header ${name} ${fault}`);
  });
  const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const content = response.content[mediaType];
  if (content === undefined) return [...headers, `the content type ${mediaType} is not said`];
  const code = mediaType === 'application/problem+json' ? answer.body?.code : undefined;
  const said = code === undefined || code in content.examples ? [] : [`the code ${code} is not said`];
  return [...headers, ...said, ...faultsOf(content.schema, answer.body)];
};
