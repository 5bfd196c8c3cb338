import { Duration, Stack } from 'aws-cdk-lib';
import { Queue, QueueEncryption, type QueueProps, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { JobSystem } from './job-system.ts';

/**
 * The standard queue that carries the jobs' ids, and its dead-letter queue. Neither is retained when the stack goes:
 * a message holds nothing that its job's record does not hold, and the reconciler sends again what is missing.
 */
export class JobQueue extends Construct {
  readonly main: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { name, settings, key }: JobSystem) {
    super(scope, id);
    const { limits, enforceSSL } = settings;
    const stack = Stack.of(this);
    const mainName = `${name}-jobs`;
    const common: QueueProps =
      key === undefined
        ? { enforceSSL, encryption: QueueEncryption.SQS_MANAGED }
        : { enforceSSL, encryption: QueueEncryption.KMS, encryptionMasterKey: key };

    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...common,
      queueName: `${name}-dead-letters`,
      retentionPeriod: Duration.seconds(limits.deadLetterRetentionSeconds),
      redriveAllowPolicy: {
        redrivePermission: RedrivePermission.BY_QUEUE,
        // Each queue names the other, which CloudFormation refuses as a circle. The main queue's fixed name breaks it:
        // its ARN is known before the queue is there.
        sourceQueues: [Queue.fromQueueArn(this, 'Source', stack.formatArn({ service: 'sqs', resource: mainName }))],
      },
    });

    this.main = new Queue(this, 'Jobs', {
      ...common,
      queueName: mainName,
      visibilityTimeout: Duration.seconds(limits.visibilitySeconds),
      retentionPeriod: Duration.seconds(limits.queueRetentionSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: limits.attemptsMax },
    });
  }
}
