import { beforeAll, describe, expect } from 'vitest';
import { needs } from '#test/support/engines/needs.ts';
import {
  type DeployedAlarm,
  dashboardBody,
  deployedAlarms,
  metricLines,
  putFor,
  stackName,
} from '#test/support/system/cloudwatch.ts';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import { api, jobIn, outputs, reconcile, reset } from '#test/support/system/stack.ts';

/*
 * The emulator makes no metrics of log lines and takes no alarm with metric math, so what moves these is PutMetricData.
 * It looks at all periods of an alarm together and forgets nothing within them, so that a sum does not fall again while a
 * test waits: each alarm is moved one way only.
 */
const alarms = await deployedAlarms();

beforeAll(reset, 90_000);

const ringsBelow = ({ ComparisonOperator }: DeployedAlarm) => ComparisonOperator === 'LessThanThreshold';
/** The emulator itself counts the errors that other tests bring about. */
const isOfLambda = ({ Namespace }: DeployedAlarm) => Namespace === 'AWS/Lambda';

const stateOf = async ({ AlarmName }: DeployedAlarm) =>
  (await deployedAlarms()).find((alarm) => alarm.AlarmName === AlarmName)?.StateValue;

const ringing = async () =>
  (await deployedAlarms()).filter(({ StateValue }) => StateValue === 'ALARM').map(({ AlarmName }) => AlarmName);

describe('deployed alarms', () => {
  test('are there, each with its section of the runbook', () => {
    expect(alarms.length).toBeGreaterThan(15);
    for (const { AlarmDescription } of alarms) expect(AlarmDescription).toMatch(/ Runbook: RUNBOOK\.md#[\w-]+$/);
  });

  test('are quiet while all is well, and ring once their metric is at its threshold', async ({ skip }) => {
    needs({ skip }, 'alarms-at-once');
    const rising = alarms.filter((alarm) => !ringsBelow(alarm));
    const ofOurs = rising.filter((alarm) => !isOfLambda(alarm));
    for (const alarm of ofOurs) await putFor(alarm, 0);
    const names = new Set(ofOurs.map(({ AlarmName }) => AlarmName));
    expect((await ringing()).filter((name) => names.has(name))).toEqual([]);

    for (const alarm of rising) {
      await putFor(alarm, alarm.Threshold + 1);
      expect({ [alarm.AlarmName]: await stateOf(alarm) }).toEqual({ [alarm.AlarmName]: 'ALARM' });
    }
  });

  test('ring when the reconciler does not run, and stop when it does', async ({ skip }) => {
    needs({ skip }, 'alarms-at-once');
    const silent = alarms.filter(ringsBelow);
    expect(silent.map(({ AlarmName }) => AlarmName)).toEqual([`${stackName}-reconciler-silent`]);
    for (const alarm of silent) {
      await putFor(alarm, 0);
      expect(await stateOf(alarm)).toBe('ALARM');
      await putFor(alarm, alarm.Threshold);
      expect(await stateOf(alarm)).toBe('OK');
    }
  });
});

describe('the deployed dashboard', () => {
  test('shows every deployed alarm, and draws the stack’s own metrics', async ({ skip }) => {
    needs({ skip }, 'dashboards');
    const body = await dashboardBody();
    for (const { AlarmName } of alarms) expect(body).toContain(`:alarm:${AlarmName}"`);
    const { widgets } = JSON.parse(body);
    expect(JSON.stringify(widgets)).toContain(
      JSON.stringify(['Sluice', 'SlotsTaken', 'service', stackName]).slice(1, -1),
    );
  });
});

/** The names in metric lines, all of which stand under the stack's name alone, as the alarms watch them. */
const namesIn = (lines: readonly Record<string, unknown>[]) =>
  lines.flatMap(({ _aws, service }) => {
    const { CloudWatchMetrics: directives } = _aws as {
      CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[];
    };
    expect(service).toBe(stackName);
    return directives.flatMap(({ Dimensions, Metrics }) => {
      expect(Dimensions[0]).toEqual(['service']);
      return Metrics.map(({ Name }) => Name);
    });
  });

describe('deployed functions', () => {
  test('G10: write metric lines under the names and the dimension that the alarms watch', async ({ own }) => {
    const since = Date.now();
    const { body } = await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 });
    await jobIn(body.id, 'succeeded');
    await reconcile();
    const gauges = ['SlotsTaken', 'Capacity', 'Backlog', 'OldestReadyAge', 'ReconcileLag'];
    const expected = {
      [outputs.apiFunctionName]: ['JobsAccepted'],
      [outputs.consumerFunctionName]: ['AttemptsStarted', 'QueueTime', 'JobsSucceeded', 'RunTime'],
      [outputs.reconcileFunctionName]: ['ReconcilerRuns', ...gauges],
    };
    for (const [functionName, names] of Object.entries(expected)) {
      await eventually(async () =>
        expect(namesIn(await metricLines(functionName, since))).toEqual(expect.arrayContaining(names)),
      );
    }
  });
});
