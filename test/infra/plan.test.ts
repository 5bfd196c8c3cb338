import { expect, it } from 'vitest';
import { productionStage } from '#infra/stages.ts';
import { resourceOf, templateOf } from '#test/support/infra/synthesize.ts';
import { deployed } from '../../operator/plan/deployed.ts';

it('sluice plan reckons with what the production stage deploys', () => {
  const template = templateOf(productionStage);
  const memoryOf = (name: string) => resourceOf(template, 'AWS::Lambda::Function', name).Properties.MemorySize;
  expect({
    apiGigabytes: memoryOf('Api') / 1_024,
    consumerGigabytes: memoryOf('Consumer') / 1_024,
    requestsPerSecond: productionStage.requestsPerSecond,
    fairQueues: productionStage.fairQueues,
  }).toEqual(deployed);
});
