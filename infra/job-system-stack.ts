import { Annotations, CfnOutput, Fn, Stack, type StackProps } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { type ISubnet, SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { BoundedJobQueue } from './bounded-job-queue.ts';
import type { DomainProps } from './domain.ts';
import { ownKeyFor } from './encryption.ts';
import { tableProps } from './job-table.ts';
import type { NetworkProps } from './network.ts';
import type { StageDomain, StageProps, StageVpc } from './stages.ts';

/** The stack's own props beside CDK's. */
export interface JobSystemStackProps extends StackProps {
  readonly stage: StageProps;
}

/**
 * A job system with the sample job's ledger. What a stage names by ARN or id becomes what the construct takes.
 * The construct's id is 'Default', which CDK leaves out of logical ids: `test/infra/upgrade.test.ts` holds those of
 * everything that has a state, since another id would replace it.
 */
export class JobSystemStack extends Stack {
  readonly #jobs: BoundedJobQueue;

  constructor(scope: Construct, id: string, { stage, ...stackProps }: JobSystemStackProps) {
    super(scope, id, { description: 'Bounded, idempotent background jobs.', ...stackProps });
    const { existingKeyArn, alarmTopicArn, vpc, domain, name: _, ...settings } = stage;
    const key = existingKeyArn ? Key.fromKeyArn(this, 'ExistingKey', existingKeyArn) : ownKeyFor(this, stage);
    const ledger = new Table(new Construct(this, 'Tables'), 'Ledger', {
      ...tableProps(stage, key),
      partitionKey: { name: 'account', type: AttributeType.STRING },
    });
    this.#jobs = new BoundedJobQueue(this, 'Default', {
      ...settings,
      name: this.stackName,
      existingTables: { ledger },
      ...(key && { existingKey: key }),
      ...(vpc && this.#network(vpc)),
      ...(domain && { domain: this.#domain(domain) }),
      ...(alarmTopicArn && { existingAlarmTopic: Topic.fromTopicArn(this, 'AlarmTopic', alarmTopicArn) }),
    });
    this.#jobs.addOutputs();
    new CfnOutput(this, 'LedgerTableName', { value: ledger.tableName });
  }

  /** Lets it submit, see, list and cancel jobs of its own. */
  grantSubmit(grantee: IGrantable): Grant {
    return this.#jobs.grantSubmit(grantee);
  }

  /** Lets it operate the system as well: see and cancel the jobs of all, redrive, close, pause. */
  grantOperate(grantee: IGrantable): Grant {
    return this.#jobs.grantOperate(grantee);
  }

  #network({ vpcId, subnetIds, securityGroupIds }: StageVpc): NetworkProps {
    const groups = securityGroupIds?.map((id) => SecurityGroup.fromSecurityGroupId(this, id, id));
    return {
      // The subnets are named, so that nothing else need be known of the VPC; CDK wants a zone all the same.
      existingVpc: Vpc.fromVpcAttributes(this, 'Vpc', { vpcId, availabilityZones: [Fn.select(0, Fn.getAzs())] }),
      vpcSubnets: { subnets: subnetIds.map((id) => this.#subnet(id)) },
      ...(groups && { existingSecurityGroups: groups }),
    };
  }

  #subnet(id: string): ISubnet {
    const subnet = Subnet.fromSubnetId(this, id, id);
    // Nothing here asks for its route table.
    Annotations.of(subnet).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId');
    return subnet;
  }

  #domain({ name, certificateArn, hostedZone }: StageDomain): DomainProps {
    return {
      name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      ...(hostedZone && {
        existingHostedZone: HostedZone.fromHostedZoneAttributes(this, 'HostedZone', {
          hostedZoneId: hostedZone.id,
          zoneName: hostedZone.name,
        }),
      }),
    };
  }
}
