import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';

/** A schema as it stands in the document. */
export type Json = Readonly<Record<string, unknown>>;

interface MediaType {
  readonly schema: Json;
  readonly examples: Readonly<Record<string, { readonly value?: unknown; readonly $ref?: string }>>;
}
type Content = Readonly<Record<string, MediaType>>;

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly required: boolean; readonly schema: Json }>>;
  readonly content: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Json;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

export const documentText = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8');
export const document: Document = JSON.parse(documentText);

/** All operations, as `GET /jobs` with what they are. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  ),
);

/** The same, but no object may have members that are not described: an answer that grows must be described first. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]));
  return 'properties' in inner && inner['type'] === 'object' ? { additionalProperties: false, ...inner } : inner;
};

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/ },
});
ajv.addSchema({ components: closed(document.components) }, 'document');

const compiled = new Map<string, ValidateFunction>();

/** What is wrong with a value by a schema of the document, one line a fault; none: it fits. */
export const faultsOf = (schema: Json, value: unknown): readonly string[] => {
  const text = JSON.stringify(closed(schema)).replaceAll('"#/components/', '"document#/components/');
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, validate);
  // As it goes over the wire: members that are undefined are not there.
  if (validate(JSON.parse(JSON.stringify(value)))) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
};

export const schemaOf = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
