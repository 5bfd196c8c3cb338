import { expect, inject, test } from 'vitest';
import { catalogue } from './catalogue.ts';
import { conduct } from './support/conduct.ts';
import { silent } from './support/report.ts';

/** The short drills, by the same code as `npm run drills`; those that need minutes or an emulator of their own are not here. */
const quick = catalogue.filter((drill) => drill.quick && drill.site === 'shared');

test.each(quick)('$name: $title', async (drill) => {
  const result = await conduct(drill, async () => ({ outputs: inject('localOutputs') }), silent);
  expect(result.error).toBeUndefined();
  const observed = Object.fromEntries(result.findings.map((finding) => [finding.what, finding.observed]));
  const expected = Object.fromEntries(result.findings.map((finding) => [finding.what, finding.expected]));
  expect(observed).toEqual(expected);
});

test('every drill has a name of its own and says what it expects', () => {
  expect(new Set(catalogue.map((drill) => drill.name)).size).toBe(catalogue.length);
  expect(catalogue.filter((drill) => Object.keys(drill.expected).length === 0)).toEqual([]);
});
