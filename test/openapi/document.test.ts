import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { type ProblemCode, problemStatus } from '#core/problem.ts';
import type { World } from '#flow/world.ts';
import { apiRoutes } from '#functions/api.ts';
import { registry } from '#functions/jobs/registry.ts';
import { openApiText } from '#functions/openapi/document.ts';
import { operatorRoutes } from '#functions/operator.ts';
import { document, documentText, faultsOf, operations } from '#test/support/openapi/document.ts';

const all = [...operations];
const exampleOf = ({ value, $ref }: { readonly value?: unknown; readonly $ref?: string }): unknown =>
  $ref === undefined ? value : document.components.examples[$ref.split('/').at(-1) ?? '']?.value;

describe('openapi.json', () => {
  it('is what the code makes now; else: npm run openapi', () => {
    expect(documentText).toBe(openApiText());
  });

  it('is valid OpenAPI 3.0', async () => {
    expect(await new Validator().validate(JSON.parse(documentText))).toEqual({ valid: true });
  });

  it('describes every route that the API has, and no other', () => {
    // The routes are only listed here; none of them is called.
    const world = {} as never;
    const routes = [...apiRoutes(world as World, registry), ...operatorRoutes(world)];
    const paths = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect([...operations.keys()].sort()).toEqual(paths.sort());
  });

  it('names every error code, each under its own status', () => {
    const said = all.flatMap(([, { responses }]) =>
      Object.entries(responses).flatMap(([status, { content }]) =>
        Object.keys(content['application/problem+json']?.examples ?? {}).map((code) => [code, Number(status)] as const),
      ),
    );
    for (const [code, status] of said) expect(problemStatus[code as ProblemCode]).toBe(status);
    const elsewhere = ['route-not-found', 'method-not-allowed'];
    for (const code of elsewhere) expect(documentText).toContain(`\`${code}\``);
    const codes = new Set([...said.map(([code]) => code), ...elsewhere]);
    expect([...codes].sort()).toEqual(Object.keys(problemStatus).sort());
  });

  it('tells when to come back wherever that helps', () => {
    for (const [, { responses }] of all) {
      for (const [status, { headers }] of Object.entries(responses)) {
        expect(headers?.['Retry-After'] !== undefined).toBe(status === '429' || status === '503');
      }
    }
  });
});

describe('lint', () => {
  it('every operation has a name of its own, a tag, a summary and a description', () => {
    const names = all.map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const [, { operationId, tags, summary, description }] of all) {
      expect(operationId).toMatch(/^[a-z][A-Za-z]+$/);
      expect(tags).toHaveLength(1);
      for (const text of [summary, description]) expect(text).toMatch(/\S/);
    }
  });

  it.each(all)('%s declares the parameters of its path, and each once', (call, { parameters = [] }) => {
    const inPath = [...call.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((p) => p.in === 'path').map((p) => p.name)).toEqual(inPath);
    expect(new Set(parameters.map((p) => `${p.in} ${p.name}`)).size).toBe(parameters.length);
  });

  it('every reference leads somewhere, and every schema and example is referred to', () => {
    const refs = new Set([...documentText.matchAll(/"\$ref": "([^"]+)"/g)].map(([, target]) => target));
    const { schemas, examples } = document.components;
    const elsewhere = ['route-not-found', 'method-not-allowed'];
    expect([...refs].sort()).toEqual(
      [
        ...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
        ...Object.keys(examples)
          .filter((name) => !elsewhere.includes(name))
          .map((name) => `#/components/examples/${name}`),
      ].sort(),
    );
  });

  it.each(all)('%s: its examples fit their schemas', (_, { parameters = [], requestBody, responses }) => {
    const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
    for (const { schema, examples } of contents.flatMap((content) => Object.values(content ?? {}))) {
      expect(Object.keys(examples)).not.toEqual([]);
      for (const example of Object.values(examples)) expect(faultsOf(schema, exampleOf(example))).toEqual([]);
    }
    for (const { schema, example } of parameters) {
      if (example !== undefined) expect(faultsOf(schema, example)).toEqual([]);
    }
  });
});
