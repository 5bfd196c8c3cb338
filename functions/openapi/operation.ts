import type { ProblemCode } from '#core/problem.ts';
import { problemResponses } from './problems.ts';
import { ref, type Schema } from './schema.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

type Examples = Readonly<Record<string, unknown>>;

interface Success {
  readonly description: string;
  readonly schema: string;
  readonly examples: Examples;
  readonly headers?: Readonly<Record<string, unknown>>;
}

interface Body {
  readonly schema: string;
  readonly examples: Examples;
  readonly required?: boolean;
}

interface Call {
  readonly operationId: string;
  readonly tag: 'jobs' | 'operator';
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: Body;
  readonly success: Readonly<Record<string, Success>>;
  /** Beside those that every call may meet. */
  readonly problems: readonly ProblemCode[];
}

const content = (schema: string, examples: Examples) => ({
  'application/json': {
    schema: ref(schema),
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
});

const bodyProblems: readonly ProblemCode[] = ['invalid-request', 'payload-too-large', 'unsupported-media-type'];

/** An operation object. Every call refuses queries that it does not know, and bodies that it cannot read. */
export const operation = ({ tag, parameters, body, success, problems, ...said }: Call) => ({
  ...said,
  tags: [tag],
  ...(parameters && { parameters }),
  ...(body && { requestBody: { required: body.required ?? true, content: content(body.schema, body.examples) } }),
  responses: {
    ...Object.fromEntries(
      Object.entries(success).map(([status, { description, schema, examples, headers }]) => [
        status,
        { description, ...(headers && { headers }), content: content(schema, examples) },
      ]),
    ),
    ...problemResponses(
      ...new Set<ProblemCode>([...(body ? bodyProblems : ['invalid-request' as const]), ...problems]),
    ),
  },
});
