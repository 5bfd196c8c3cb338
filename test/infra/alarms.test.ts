import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { counterNames, durationNames, gaugeUnits, isReasoned, type MetricName, reasonsOf } from '#core/evidence.ts';
import { localStage, productionStage } from '#infra/stages.ts';
import { anchorOf, readPage } from '#test/support/docs/pages.ts';
import { alarmsOf, drawnBy, type NamedMetric, widgetsOf } from '#test/support/infra/alarms.ts';
import { resourceOf, templateOf } from '#test/support/infra/synthesize.ts';

const projectFile = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The sections of the runbook by their anchors. */
const sections = new Map(
  readPage('RUNBOOK.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = ''] = section.split('\n');
      return [anchorOf(heading), section];
    }),
);

const flow = readdirSync(new URL('../../functions/flow/', import.meta.url))
  .map((file) => projectFile(`functions/flow/${file}`))
  .join('\n');

/** What AWS publishes, under which dimensions. Sources: the metrics pages of SQS, Lambda and API Gateway (REST). */
const awsMetrics: Readonly<
  Record<string, { readonly names: readonly string[]; readonly dimensions: readonly string[] }>
> = {
  'AWS/SQS': {
    names: [
      'ApproximateAgeOfOldestMessage',
      'ApproximateNumberOfMessagesVisible',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesDelayed',
    ],
    dimensions: ['QueueName'],
  },
  'AWS/Lambda': { names: ['Errors', 'Throttles', 'ConcurrentExecutions'], dimensions: ['FunctionName'] },
  'AWS/ApiGateway': { names: ['5XXError', '4XXError', 'Count', 'Latency'], dimensions: ['ApiName', 'Stage'] },
};

const expectPublished = ({ namespace, name, dimensions }: NamedMetric): void => {
  if (namespace === 'Sluice') {
    expect([...counterNames, ...Object.keys(gaugeUnits), ...durationNames]).toContain(name);
    const { service, reason, ...others } = dimensions;
    expect({ service, others }).toEqual({ service: 'sluice-under-test', others: {} });
    if (reason === undefined) return;
    expect(isReasoned(name as MetricName)).toBe(true);
    expect(Object.entries(reasonsOf).find(([metric]) => metric === name)?.[1]).toContain(reason);
  } else {
    expect(awsMetrics[namespace]?.names).toContain(name);
    expect(Object.keys(dimensions).sort()).toEqual(awsMetrics[namespace]?.dimensions);
  }
};

const production = templateOf(productionStage);
const local = templateOf(localStage);
const alarms = alarmsOf(production);
const alarm = (name: string) => {
  const found = alarms.find((one) => one.name === `sluice-under-test-${name}`);
  if (found === undefined) throw new Error(`There is no alarm ${name}.`);
  return found;
};

describe('the names of metrics', () => {
  it.each([...counterNames, ...Object.keys(gaugeUnits), ...durationNames])(
    'G10: %s is left by some step of the flow',
    (name) => {
      expect(flow).toContain(`'${name}'`);
    },
  );
});

describe.each(alarms)('the alarm $name', ({ description, properties, metrics }) => {
  it('says what it means, and names a section of the runbook that leads from what one sees to an end', () => {
    const [, meaning, anchor] = /^(.{30,}\.) Runbook: RUNBOOK\.md#(\S+)$/.exec(description) ?? [];
    expect(meaning).toBeDefined();
    const section = sections.get(anchor ?? '');
    const steps = ['What you see.', 'What proves it.', 'What is safe to do.', 'How you know that it worked.'];
    for (const step of [...steps, 'Stop and call someone']) expect(section).toContain(`**${step}**`);
    expect(sections.get('alarms')).toContain(`(#${anchor})`);
  });

  it('chooses what missing data means', () => {
    expect(['breaching', 'notBreaching', 'ignore']).toContain(properties.TreatMissingData);
  });

  it('watches metrics that somebody publishes, minute by minute', () => {
    expect(metrics.length).toBeGreaterThan(0);
    metrics.forEach(expectPublished);
    const stats = properties.Metrics?.flatMap((query: { MetricStat?: object }) => query.MetricStat ?? []) ?? [
      properties,
    ];
    for (const { Period: period } of stats) expect(period % 60).toBe(0);
    expect(properties.DatapointsToAlarm).toBeLessThanOrEqual(properties.EvaluationPeriods);
  });

  it('tells nobody unless the stage names a topic', () => {
    expect([properties.AlarmActions, properties.OKActions]).toEqual([undefined, undefined]);
  });
});

describe('alarms', () => {
  it('have names of their own in the runbook’s list', () => {
    for (const { name } of alarms) {
      const own = name
        .replace('sluice-under-test-', '')
        .replace(/^(api|consumer|operator|reconcile)-(errors|throttles)$/, '*-$2');
      expect(sections.get('alarms')).toContain(`\`${own}\``);
    }
  });

  it('tell the topic that the stage names, on the way there and back', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-central-1:111122223333:on-call';
    for (const { properties } of alarmsOf(templateOf({ ...productionStage, alarmTopicArn }))) {
      expect([properties.AlarmActions, properties.OKActions]).toEqual([[alarmTopicArn], [alarmTopicArn]]);
    }
  });

  it('follow the limits of the stage', () => {
    const { limits } = productionStage;
    expect(alarm('oldest-ready-job').properties.Threshold).toBe(limits.staleAfterSeconds);
    expect(alarm('oldest-message').properties.Threshold).toBe(
      limits.waitBudgetDefaultSeconds + limits.attemptsMax * limits.visibilitySeconds,
    );
    expect(alarm('reconciler-behind').properties.Threshold).toBe(2 * limits.reconcilerPeriodSeconds);
    expect(alarm('reconciler-silent').properties).toMatchObject({
      Period: limits.reconcilerPeriodSeconds,
      EvaluationPeriods: 3,
      TreatMissingData: 'breaching',
    });
    expect(alarm('full-and-still').properties.EvaluationPeriods * 60).toBeGreaterThanOrEqual(limits.visibilitySeconds);
  });

  it('count dead letters that the sweep hides too', () => {
    const queueName = { 'Fn::GetAtt': [expect.stringMatching(/^QueueDeadLetters/), 'QueueName'] };
    expect(alarm('dead-letters').metrics.map(({ name, dimensions }) => [name, dimensions['QueueName']])).toEqual([
      ['ApproximateNumberOfMessagesVisible', queueName],
      ['ApproximateNumberOfMessagesNotVisible', queueName],
    ]);
  });

  it('are the same in the local stage, but for those that are computed', () => {
    const computed = ['api-server-errors', 'full-and-still', 'dead-letters'].map((name) => alarm(name).name);
    const names = alarms.map(({ name }) => name).filter((name) => !computed.includes(name));
    expect(alarmsOf(local).map(({ name }) => name)).toEqual(names);
  });

  it.each(['Api', 'Consumer', 'Operator', 'Reconcile'])('see the metrics of %s under the stack’s name', (id) => {
    const { Variables: variables } = resourceOf(production, 'AWS::Lambda::Function', id).Properties.Environment;
    expect(variables).toMatchObject({
      POWERTOOLS_SERVICE_NAME: 'sluice-under-test',
      POWERTOOLS_METRICS_NAMESPACE: 'Sluice',
    });
  });
});

describe('the dashboard', () => {
  const widgets = widgetsOf(production);
  const drawn = widgets.flatMap(drawnBy);

  it('draws metrics that somebody publishes', () => {
    drawn.forEach(expectPublished);
  });

  it('leaves out nothing that the functions publish', () => {
    const names = drawn.filter(({ namespace }) => namespace === 'Sluice').map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual([...counterNames, ...Object.keys(gaugeUnits), ...durationNames].sort());
  });

  it('tells the way of a job from left to right, in the width of a screen', () => {
    const headings = widgets.filter(({ type }) => type === 'text').toSorted((a, b) => a.x - b.x);
    expect(headings.map(({ properties }) => properties.markdown?.split('\n')[0])).toEqual([
      '## Intake',
      '## Queue',
      '## Work',
      '## Ends',
      '## Upkeep',
    ]);
    expect(Math.max(...widgets.map(({ x, width }) => x + width))).toBe(24);
  });

  it('shows the slots with the line of the capacity', () => {
    const slots = widgets.find(({ properties }) => properties.title === 'Slots against capacity');
    expect(slots && drawnBy(slots).map(({ name }) => name)).toEqual(['SlotsTaken', 'Capacity', 'Backlog']);
  });
});
