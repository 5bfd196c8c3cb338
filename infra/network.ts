import { ArnFormat, Stack } from 'aws-cdk-lib';
import {
  type ISecurityGroup,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  type SubnetSelection,
  type Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** A VPC that is there already, for the four functions. */
export interface NetworkProps {
  /**
   * It needs ways to DynamoDB, SQS and Lambda, and to whatever handlers call: endpoints, or a NAT gateway. The
   * list is in docs/configuration.md. Without a VPC the functions reach AWS and the internet directly.
   */
  readonly existingVpc?: IVpc | Vpc;
  /** The VPC's private subnets unless told. */
  readonly vpcSubnets?: SubnetSelection;
  /** Instead of one that is made: nothing in, and out to TCP 443 and the ports of webhook hosts. */
  readonly existingSecurityGroups?: readonly ISecurityGroup[];
}

/** Where the functions run. */
export interface Network {
  readonly vpc: IVpc;
  readonly vpcSubnets?: SubnetSelection;
  readonly securityGroups: readonly ISecurityGroup[];
}

/** Throws where subnets or security groups are named without the VPC that they are in, and where a list has none. */
export const networkFor = (
  scope: Construct,
  { existingVpc, vpcSubnets, existingSecurityGroups }: NetworkProps,
  webhookHosts: readonly string[],
): Network | undefined => {
  if (existingVpc === undefined) {
    if (vpcSubnets === undefined && existingSecurityGroups === undefined) return undefined;
    throw new Error('Subnets or security groups are given without their VPC. Give it too: existingVpc.');
  }
  if (existingSecurityGroups?.length === 0) {
    throw new Error(
      'existingSecurityGroups is an empty list, and a function in a VPC needs one. Leave it out to have one made.',
    );
  }
  // CDK declares its own Vpc looser than exactOptionalPropertyTypes allows.
  const vpc = existingVpc as IVpc;
  const securityGroups = existingSecurityGroups ?? [httpsOnly(scope, vpc, webhookHosts)];
  return { vpc, securityGroups, ...(vpcSubnets && { vpcSubnets }) };
};

const httpsOnly = (scope: Construct, vpc: IVpc, webhookHosts: readonly string[]): SecurityGroup => {
  const group = new SecurityGroup(scope, 'FunctionsSecurityGroup', {
    vpc,
    description: 'Functions of the job system: nothing in, HTTPS out.',
    allowAllOutbound: false,
  });
  group.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'AWS services and HTTPS receivers');
  for (const port of new Set(webhookHosts.map((host) => /:(\d+|\*)$/.exec(host)?.[1]))) {
    if (port === undefined || port === '443') continue;
    group.addEgressRule(Peer.anyIpv4(), port === '*' ? Port.allTcp() : Port.tcp(Number(port)), 'Webhook receivers');
  }
  return group;
};

/** What Lambda needs to attach a function. EC2 knows no resources for a network interface that is yet to be made. */
const interfaceActions = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** Lets Lambda attach the function by the function's role, and denies the same to the code that runs in it. */
export const allowAttaching = (role: Role, functionName: string): void => {
  const { COLON_RESOURCE_NAME: arnFormat } = ArnFormat;
  // By its name: the function waits for this policy, so the policy cannot refer to the function.
  const arn = Stack.of(role).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: functionName,
    arnFormat,
  });
  role.addToPolicy(new PolicyStatement({ actions: interfaceActions, resources: ['*'] }));
  role.addToPolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      actions: interfaceActions,
      resources: ['*'],
      conditions: { ArnEquals: { 'lambda:SourceFunctionArn': arn } },
    }),
  );
};
