import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  Column,
  Dashboard,
  GraphWidget,
  PeriodOverride,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type Step, stepsOf } from './dashboard-steps.ts';
import { SystemMetrics, type Watched } from './metrics.ts';

/** The dashboard is 24 units wide. */
const columnWidths = [5, 5, 5, 5, 4] as const;
const graphHeight = 6;

/** All alarms, and under them the way of a job from left to right. */
export const addDashboard = (scope: Construct, name: string, watched: Watched, alarms: readonly Alarm[]): Dashboard => {
  const dashboard = new Dashboard(scope, 'Dashboard', {
    dashboardName: name,
    defaultInterval: Duration.hours(3),
    // Counts by the minute stay counts by the minute, whatever time is looked at.
    periodOverride: PeriodOverride.INHERIT,
  });
  dashboard.addWidgets(
    new AlarmStatusWidget({
      title: 'Alarms; each names its section of RUNBOOK.md',
      alarms: [...alarms],
      sortBy: AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP,
      width: 24,
      height: 4,
    }),
  );
  const steps = stepsOf(new SystemMetrics(name), watched);
  dashboard.addWidgets(...steps.map((step, i) => column(step, columnWidths[i] ?? 4)));
  return dashboard;
};

const column = ({ heading, story, graphs }: Step, width: number): Column =>
  new Column(
    new TextWidget({ markdown: `## ${heading}\n${story}`, width, height: 3 }),
    ...graphs.map((graph) => new GraphWidget({ ...graph, width, height: graphHeight })),
  );
