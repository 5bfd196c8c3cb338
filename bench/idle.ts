import { shardCount } from '#core/capacity.ts';
import { productionLimits } from '#core/limits.ts';
import { contextOf, templateIn } from '../deploy/assembly.ts';
import { synthesize } from '../localstack/synth.ts';
import { dollarsPerStoredGigabyteMonth, idlePrices } from '../operator/plan/prices.ts';
import { costTable, idleCosts } from './idle-costs.ts';

// `npm run costs`: what production costs in a month when nobody uses it, from its template and list prices.
const stackName = 'sluice-production';
const context = { ...contextOf({ stage: 'production', stackName }), 'aws:cdk:bundling-stacks': [] };
const template = templateIn(await synthesize(context), stackName);

console.log(`${costTable(idleCosts(template, shardCount(productionLimits.capacity)))}

List prices of us-east-1, no free tier. Stored items cost $${dollarsPerStoredGigabyteMonth} a GB and month, and $${idlePrices.recoveryGigabyteMonth} for their recovery to a
point in time. What jobs cost: npx sluice plan.`);
