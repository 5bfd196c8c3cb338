import { Alarm, ComparisonOperator, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { JobSystem } from './job-system.ts';
import { SystemMetrics, type Watched } from './metrics.ts';
import type { Symptom } from './symptom.ts';
import { functionSymptoms, upkeepSymptoms } from './upkeep-symptoms.ts';
import { workSymptoms } from './work-symptoms.ts';

/**
 * One alarm a symptom. Each says what it means and which section of the runbook to open. Thresholds follow from the
 * limits where a limit says what is normal; where none does, one event is one too many, and the number of periods keeps
 * what repairs itself from ringing.
 */
export class JobAlarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, { name, settings }: JobSystem, watched: Watched, topic?: ITopic) {
    super(scope, id);
    const ours = new SystemMetrics(name);
    this.all = [
      ...workSymptoms(ours, watched, settings.limits),
      ...upkeepSymptoms(ours, settings.limits),
      ...functionSymptoms(watched),
    ]
      .filter(({ metric }) => settings.metricMathAlarms || !(metric instanceof MathExpression))
      .map((symptom) => this.#alarm(`${name}-${symptom.name}`, symptom));
    if (topic === undefined) return;
    const action = new SnsAction(topic);
    for (const alarm of this.all) {
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
    }
  }

  #alarm(alarmName: string, symptom: Symptom): Alarm {
    return new Alarm(this, symptom.name, {
      alarmName,
      alarmDescription: `${symptom.meaning} Runbook: RUNBOOK.md#${symptom.runbook}`,
      metric: symptom.metric,
      threshold: symptom.threshold,
      comparisonOperator: symptom.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: symptom.periods,
      datapointsToAlarm: symptom.breaches ?? symptom.periods,
      treatMissingData: symptom.missing,
    });
  }
}
