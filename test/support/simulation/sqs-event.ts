import type { SQSEvent } from 'aws-lambda';
import { attributeNames } from '#adapters/sqs-job-queue.ts';
import type { Received } from '../memory/job-queue.ts';

/** Received messages in the form in which the event source mapping hands them to a Lambda. */
export const eventOf = (records: readonly Received[]): SQSEvent => ({
  Records: records.map(({ messageId, receipt, body, receiveCount, suspectPutOffs }) => ({
    messageId,
    receiptHandle: receipt,
    body,
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: '0',
      SenderId: 'simulation',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: { [attributeNames.putOffs]: { stringValue: String(suspectPutOffs), dataType: 'Number' } },
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:jobs',
    awsRegion: 'eu-central-1',
  })),
});
