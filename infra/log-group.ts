import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { JobSystem } from './job-system.ts';

/** A log group that keeps its lines as long as the settings say, under the system's key if it has one. */
export const addLogGroup = (scope: Construct, id: string, { settings, key }: JobSystem): LogGroup =>
  new LogGroup(scope, id, {
    retention: settings.logRetention,
    removalPolicy: settings.removalPolicy,
    ...(key && { encryptionKey: key }),
  });
