import * as fc from 'fast-check';
import { document, type Json, type Operation, operations } from '#test/support/openapi/document.ts';
import type { WireRequest } from './exchange.ts';
import { type Facts, forgedCursor } from './facts.ts';
import { oddJson, oddText } from './odd.ts';

/*
 * Requests by the grammar that openapi.json is: mostly what it allows, so that they get past the first check, with an odd
 * part here and there.
 */

const resolved = (schema: Json): Json => {
  const ref = schema['$ref'];
  return typeof ref === 'string' ? (document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {}) : schema;
};

const types = ['ledger.credit', 'ledger.credit', 'webhook.deliver'];

/** Payloads that pass, that nearly pass, and any JSON: the document leaves the payload open. No delivery gets anywhere. */
const payload: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.constantFrom('{"account":"fuzz","amount":1}', '{"amount":9007199254740991,"account":"z"}'),
  },
  { weight: 2, arbitrary: oddJson.map((odd) => `{"account":"fuzz","amount":${odd}}`) },
  { weight: 2, arbitrary: oddJson.map((odd) => `{"account":${odd},"amount":1}`) },
  { weight: 2, arbitrary: oddJson.map((odd) => `{"url":"https://nowhere.invalid/","body":${odd}}`) },
  { weight: 1, arbitrary: oddText.map((odd) => JSON.stringify({ url: `https://${odd}/`, body: {} })) },
  { weight: 1, arbitrary: oddJson },
);

const strings = (schema: Json, facts: Facts): fc.Arbitrary<string> => {
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as string[]));
  if (schema['format'] === 'date-time') return fc.constantFrom('2026-01-05T12:00:00Z', '2099-01-01T00:00:00+02:00');
  if (schema['pattern'] !== undefined) return fc.constantFrom(...facts.keys);
  return fc.constantFrom(...types, ...facts.ids, ...facts.tenants, ...facts.cursors);
};

const jsonOf = (schema: Json, facts: Facts, name = ''): fc.Arbitrary<string> => {
  const { type, minimum, maximum, properties, required, items } = resolved(schema);
  const good = (): fc.Arbitrary<string> => {
    if (name === 'payload') return payload;
    if (name === 'type') return fc.constantFrom(...types).map((text) => JSON.stringify(text));
    if (name === 'cursor') return cursors(facts).map((text) => JSON.stringify(text));
    switch (type) {
      case 'object':
        return objectOf(properties as Record<string, Json>, required as string[] | undefined, facts);
      case 'array':
        return fc.array(jsonOf(items as Json, facts), { minLength: 1, maxLength: 4 }).map((texts) => `[${texts}]`);
      case 'boolean':
        return fc.constantFrom('true', 'false');
      case 'integer':
      case 'number':
        // Rates at their lower end would make a call last for as long as it says.
        if (name === 'ratePerSecond') return fc.constant('100');
        if (name === 'capacity') return fc.constantFrom('1', '2', '64', '100');
        return fc.constantFrom(minimum, maximum, Number(minimum) + 1).map((n) => String(n ?? 1));
      default:
        return strings(resolved(schema), facts).map((text) => JSON.stringify(text));
    }
  };
  return fc.oneof({ weight: 14, arbitrary: good() }, { weight: 1, arbitrary: oddJson });
};

const objectOf = (
  properties: Record<string, Json> = {},
  required: string[] = [],
  facts: Facts,
): fc.Arbitrary<string> => {
  const members = Object.entries(properties).map(([name, schema]) =>
    fc.tuple(
      fc.integer({ min: 0, max: 9 }),
      jsonOf(schema, facts, name).map((text) => `${JSON.stringify(name)}:${text}`),
      required.includes(name) ? fc.constant(9) : fc.constant(4),
    ),
  );
  const extra = fc.oneof(
    { weight: 20, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.tuple(oddText, oddJson).map(([name, odd]) => `${JSON.stringify(name)}:${odd}`) },
  );
  return fc.tuple(fc.tuple(...members), extra, fc.integer({ min: 0, max: 19 })).map(([all, more, twice]) => {
    const there = all.filter(([chance, , of]) => chance < of).map(([, text]) => text);
    // The first member once more at the end: which of the two counts must not differ between checks.
    const [first] = there;
    return `{${[...there, ...(more === '' ? [] : [more]), ...(twice === 0 && first ? [first] : [])].join()}}`;
  });
};

const cursors = (facts: Facts): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom(...facts.cursors), forgedCursor(facts), oddText);

const queryValue = (name: string, schema: Json, facts: Facts): fc.Arbitrary<string> => {
  if (name === 'cursor') return cursors(facts);
  if (name === 'waitSeconds') return fc.constantFrom('0', '1', '2', '21', '-1', '1.5', '01', '0x1', '');
  if (schema['type'] === 'integer') return fc.constantFrom('1', '2', '100', '0', '101', '1e1', ' 1', '٣', '-1', '');
  return strings(schema, facts);
};

const queryOf = ({ parameters = [] }: Operation, facts: Facts): fc.Arbitrary<string> => {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const pair = (name: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
    fc.tuple(name, value, fc.boolean()).map(([n, v, all]) => `${n}=${all ? everyByte(v) : encodeURIComponent(v)}`);
  const good = known.map(({ name, schema }) =>
    pair(
      fc.constant(name),
      fc.oneof({ weight: 8, arbitrary: queryValue(name, schema, facts) }, { weight: 1, arbitrary: oddText }),
    ),
  );
  const odd = fc.oneof(
    pair(oddText.map(encodeURIComponent), oddText),
    fc.constantFrom(
      '%',
      '%zz=1',
      '=',
      '&&',
      'limit',
      'limit=1&limit=2',
      'limit[]=1',
      'a=b;c=d',
      '%6cimit=1',
      '?',
      '+=+',
    ),
  );
  const any =
    good.length === 0 ? odd : fc.oneof({ weight: 12, arbitrary: fc.oneof(...good) }, { weight: 1, arbitrary: odd });
  const pairs = fc.array(any, { maxLength: good.length === 0 ? 1 : 3 });
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    { weight: good.length + 1, arbitrary: pairs.map((all) => all.join('&')) },
  );
};

/** Letters too go out as escapes, which mean the same. */
const everyByte = (text: string): string =>
  [...Buffer.from(text.slice(0, 300))].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const keyHeader = (facts: Facts): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...facts.keys) },
    { weight: 12, arbitrary: fc.integer({ min: 0, max: 1e9 }).map((n) => `fuzz-${n}`) },
    {
      weight: 3,
      arbitrary: fc.constantFrom('', '"', '""', '"a', 'a b', 'k'.repeat(65), '\xe9', 'a,b', '__proto__', ':'),
    },
  );

/** One request by the grammar, for one of the operations. */
export const grammarRequest = (facts: Facts): fc.Arbitrary<WireRequest> => {
  const one = ([call, operation]: readonly [string, Operation]): fc.Arbitrary<WireRequest> => {
    const [method = '', template = ''] = call.split(' ');
    const content = Object.values(operation.requestBody?.content ?? {})[0];
    const body = content === undefined ? fc.constant(undefined) : jsonOf(content.schema, facts);
    const keyed = operation.parameters?.some((parameter) => parameter.name === 'Idempotency-Key');
    const ids = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...facts.ids) }, { weight: 1, arbitrary: oddText });
    return fc
      .record({
        body,
        id: ids,
        query: queryOf(operation, facts),
        key: keyed ? keyHeader(facts) : fc.constant(undefined),
      })
      .map(({ body: text, id, query, key }) => ({
        method,
        path: `${template.replace('{id}', () => encodeURIComponent(id.slice(0, 500)))}${query === '' ? '' : `?${query}`}`,
        headers: [
          ...(text === undefined ? [] : [['content-type', 'application/json'] as const]),
          ...(key === undefined ? [] : [['idempotency-key', key] as const]),
        ],
        body: text,
        // An id may be an odd text, whose path is then another's; only its own answers are held against the document.
        call: /^[0-9a-f]{32}$/.test(id) || !template.includes('{id}') ? call : undefined,
      }));
  };
  return fc.oneof(
    ...[...operations].map((operation) => ({
      weight: operation[0] === 'POST /jobs' ? 14 : operation[0] === 'POST /jobs/batch' ? 3 : 2,
      arbitrary: one(operation),
    })),
  );
};
