import { fileURLToPath } from 'node:url';
import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { BoundedJobQueue, type JobSettings } from 'sluice/infra';

export interface StockStackProps extends StackProps {
  /** In what this deployment differs from production. */
  readonly settings?: Partial<JobSettings>;
}

/** The tables of a small shop, and the job system that alone takes pieces out of stock. */
export class StockStack extends Stack {
  constructor(scope: Construct, id: string, { settings = {}, ...props }: StockStackProps) {
    super(scope, id, props);
    const common = {
      billingMode: BillingMode.PAY_PER_REQUEST,
      removalPolicy: settings.removalPolicy ?? RemovalPolicy.RETAIN,
    };
    const stock = new Table(this, 'Stock', {
      ...common,
      partitionKey: { name: 'article', type: AttributeType.STRING },
    });
    const reservations = new Table(this, 'Reservations', {
      ...common,
      partitionKey: { name: 'order', type: AttributeType.STRING },
      sortKey: { name: 'article', type: AttributeType.STRING },
    });

    const jobs = new BoundedJobQueue(this, 'Jobs', {
      ...settings,
      entries: { api: fileHere('api.ts'), consumer: fileHere('consumer.ts') },
      existingTables: { stock, reservations },
    });
    jobs.addOutputs();
    new CfnOutput(this, 'StockTableName', { value: stock.tableName });
    new CfnOutput(this, 'ReservationsTableName', { value: reservations.tableName });

    // Whoever runs the shop may submit and see its own jobs, and nothing else here.
    jobs.grantSubmit(new Role(this, 'Shop', { assumedBy: new AccountRootPrincipal() }));
  }
}

const fileHere = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
