import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { JobSystem } from './job-system.ts';
import type { JobSettings } from './settings.ts';

/** How every table of a job system is paid for, protected and encrypted. */
export const tableProps = (settings: JobSettings, key: IKey | undefined) =>
  ({
    billingMode: BillingMode.PAY_PER_REQUEST,
    ...(key === undefined
      ? { encryption: TableEncryption.AWS_MANAGED }
      : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: key }),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: settings.pointInTimeRecovery },
    deletionProtection: settings.deletionProtection,
    removalPolicy: settings.removalPolicy,
  }) satisfies Partial<TableProps>;

/**
 * The job records with their indexes. Tables are named by CloudFormation, because a change of key replaces a table and a
 * fixed name would then collide with its predecessor.
 */
export class JobTables extends Construct {
  readonly jobs: Table;

  constructor(scope: Construct, id: string, { settings, key }: JobSystem) {
    super(scope, id);
    this.jobs = new Table(this, 'Jobs', {
      ...tableProps(settings, key),
      partitionKey: { name: 'id', type: AttributeType.STRING },
      // Only final records carry it; DynamoDB deletes late, so every read compares the time itself.
      timeToLiveAttribute: 'expiresAt',
    });
    // Sparse: only dead jobs and strays carry `deadBucket`. It holds what a list and a redrive filter need to see.
    this.jobs.addGlobalSecondaryIndex({
      indexName: 'dead',
      partitionKey: { name: 'deadBucket', type: AttributeType.STRING },
      sortKey: { name: 'diedAt', type: AttributeType.NUMBER },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['type', 'scope', 'reasonCode', 'stray', 'tenure', 'redrives', 'state'],
    });
    // Keys only, so that the state changes of a job cost no index write: neither key changes after submission.
    this.jobs.addGlobalSecondaryIndex({
      indexName: 'tenant',
      partitionKey: { name: 'tenantBucket', type: AttributeType.STRING },
      sortKey: { name: 'submittedAt', type: AttributeType.NUMBER },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    // The same for operators, who list the jobs of all tenants.
    this.jobs.addGlobalSecondaryIndex({
      indexName: 'recent',
      partitionKey: { name: 'recentBucket', type: AttributeType.STRING },
      sortKey: { name: 'submittedAt', type: AttributeType.NUMBER },
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }
}
