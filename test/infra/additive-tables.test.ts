import { describe, expect, it } from 'vitest';
import { localStage, productionStage } from '#infra/stages.ts';
import { resourcesOf, templateOf } from '#test/support/infra/synthesize.ts';
import kept from '../fixtures/upgrade/tables.json' with { type: 'json' };

/**
 * The tables of the first release, by their ids in the template. A release may add to them what its items may be without,
 * and one index a deployment; CloudFormation replaces a table whose id or key changes, and its jobs would be gone.
 */
describe.each([productionStage, localStage])(
  'tables of the $name stage against those of the first release',
  (stage) => {
    const tables = resourcesOf(templateOf(stage), 'AWS::DynamoDB::Table');

    it.each(Object.entries(kept))('%s is still that table', (id, before) => {
      const now = tables[id]?.Properties;
      expect(now, 'a table with another id is another table').toBeDefined();
      expect(now.KeySchema).toEqual(before.KeySchema);
      expect(now.AttributeDefinitions).toEqual(expect.arrayContaining(before.AttributeDefinitions));
      if ('TimeToLiveSpecification' in before)
        expect(now.TimeToLiveSpecification).toEqual(before.TimeToLiveSpecification);
    });

    it.each(Object.entries(kept))('%s has the same indexes still', (id, before) => {
      expect(tables[id]?.Properties.GlobalSecondaryIndexes ?? []).toEqual(
        expect.arrayContaining(before.GlobalSecondaryIndexes),
      );
    });
  },
);
