import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { SystemMetrics, type Watched } from './metrics.ts';
import type { StageProps } from './stages.ts';
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

  constructor(scope: Construct, id: string, stage: StageProps, watched: Watched) {
    super(scope, id);
    const stack = Stack.of(this);
    const ours = new SystemMetrics(stack);
    this.all = [
      ...workSymptoms(ours, watched, stage.limits),
      ...upkeepSymptoms(ours, stage.limits),
      ...functionSymptoms(watched),
    ]
      .filter(({ metric }) => stage.metricMathAlarms || !(metric instanceof MathExpression))
      .map((symptom) => this.#alarm(`${stack.stackName}-${symptom.name}`, symptom));
    if (stage.alarmTopicArn === undefined) return;
    const action = new SnsAction(Topic.fromTopicArn(this, 'Topic', stage.alarmTopicArn));
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
