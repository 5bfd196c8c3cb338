import { Duration } from 'aws-cdk-lib';
import { type ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';

/** Something that a person would notice, as an alarm. */
export interface Symptom {
  /** The alarm's name, after the stack's. */
  readonly name: string;
  /** What it means to whoever is woken by it. */
  readonly meaning: string;
  /** The section of RUNBOOK.md. */
  readonly runbook: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** At or above the threshold, unless told. */
  readonly comparison?: ComparisonOperator;
  /** It rings when `breaches` of the last `periods` are bad; all of them, unless told. */
  readonly periods: number;
  readonly breaches?: number;
  readonly missing: TreatMissingData;
}

/** A counter is published only when something happened, so that no data means that nothing did. */
export const nothingHappened = TreatMissingData.NOT_BREACHING;
/**
 * A gauge is missing when the reconciler does not run or SQS publishes nothing. Neither tells that things are well again
 * or worse, and the silence has an alarm of its own: the last state stands.
 */
export const nobodyKnows = TreatMissingData.IGNORE;
/** The reconciler counts its runs, so that no data is what this alarm is about. */
export const silence = TreatMissingData.BREACHING;

/** For what is too rare to be judged by the minute. */
export const fiveMinutes = Duration.minutes(5);
