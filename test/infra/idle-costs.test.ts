import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { shardCount } from '#core/capacity.ts';
import { productionStage } from '#infra/stages.ts';
import { templateOf } from '#test/support/infra/synthesize.ts';
import { costTable, idleCosts, type PricedTemplate } from '../../bench/idle-costs.ts';
import { projectRoot } from '../../localstack/places.ts';

const template = templateOf(productionStage).toJSON() as PricedTemplate;
const shards = shardCount(productionStage.limits.capacity);

describe('what an idle stack costs', () => {
  it('is in docs/deploying.md as npm run costs prints it', () => {
    expect(readFileSync(`${projectRoot}/docs/deploying.md`, 'utf8')).toContain(costTable(idleCosts(template, shards)));
  });

  it('has every type of resource of the template in it', () => {
    const Resources = { ...template.Resources, Nat: { Type: 'AWS::EC2::NatGateway' } };
    expect(() => idleCosts({ Resources }, shards)).toThrow('Nothing is known of the costs of AWS::EC2::NatGateway.');
  });

  it('rises with an alarm by each metric that it watches', () => {
    const two = [{ MetricStat: {} }, { MetricStat: {} }, { Expression: 'a + b' }];
    const Resources = { ...template.Resources, More: { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics: two } } };
    const alarms = (of: PricedTemplate) => idleCosts(of, shards)[0]?.dollars ?? 0;
    expect(alarms({ Resources }) - alarms(template)).toBeCloseTo(0.2);
  });
});
