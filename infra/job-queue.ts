import { Duration, Stack } from 'aws-cdk-lib';
import { Queue, QueueEncryption, type QueueProps, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StageProps } from './stages.ts';

/**
 * The standard queue that carries the jobs' ids, and its dead-letter queue. Neither is retained when the stack goes:
 * a message holds nothing that its job's record does not hold, and the reconciler sends again what is missing.
 */
export class JobQueue extends Construct {
  readonly main: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, stage: StageProps) {
    super(scope, id);
    const { limits } = stage;
    const stack = Stack.of(this);
    const mainName = `${stack.stackName}-jobs`;
    const common = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: stage.enforceSSL,
    } satisfies QueueProps;

    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...common,
      queueName: `${stack.stackName}-dead-letters`,
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
