import { describe, expect, it } from 'vitest';
import { productionStage, type StageProps } from '#infra/stages.ts';
import { resourcesOf, templateOf } from '#test/support/infra/synthesize.ts';

const vpc = { vpcId: 'vpc-0123abcd', subnetIds: ['subnet-0123abcd', 'subnet-4567abcd'] };
const inVpc = (more: Partial<StageProps> = {}) => templateOf({ ...productionStage, vpc, ...more });
const configsIn = (template: ReturnType<typeof templateOf>): unknown[] =>
  Object.values(resourcesOf(template, 'AWS::Lambda::Function')).map(({ Properties }) => Properties.VpcConfig);

const groupIn = (template: ReturnType<typeof templateOf>) => {
  const groups = Object.entries(resourcesOf(template, 'AWS::EC2::SecurityGroup'));
  expect(groups).toHaveLength(1);
  const [[id, group] = ['', undefined]] = groups;
  return { id, properties: group?.Properties };
};

const tcp = (from: number, to = from) =>
  expect.objectContaining({ IpProtocol: 'tcp', FromPort: from, ToPort: to, CidrIp: '0.0.0.0/0' });

describe('a VPC', () => {
  it('is none unless named', () => {
    const template = templateOf(productionStage);
    expect(configsIn(template)).toEqual(Array(4).fill(undefined));
    expect(resourcesOf(template, 'AWS::EC2::SecurityGroup')).toEqual({});
  });

  it('holds all four functions, in the subnets that were named', () => {
    const template = inVpc();
    const { id, properties } = groupIn(template);
    expect(properties.VpcId).toBe(vpc.vpcId);
    const config = { SubnetIds: vpc.subnetIds, SecurityGroupIds: [{ 'Fn::GetAtt': [id, 'GroupId'] }] };
    expect(configsIn(template)).toEqual(Array(4).fill(config));
  });

  it('lets nothing in, and out to HTTPS only', () => {
    const { properties } = groupIn(inVpc());
    expect(properties.SecurityGroupIngress).toBeUndefined();
    expect(properties.SecurityGroupEgress).toEqual([tcp(443)]);
  });

  it.each([
    { hosts: ['hooks.example.com', 'other.example.com:443'], ports: [tcp(443)] },
    {
      hosts: ['a.example.com:8443', 'b.example.com:8443', '[2001:db8::1]:9443'],
      ports: [tcp(443), tcp(8443), tcp(9443)],
    },
    { hosts: ['a.example.com:*', '[2001:db8::1]'], ports: [tcp(443), tcp(0, 65_535)] },
  ])('lets webhooks out to the ports of their hosts: $hosts', ({ hosts, ports }) => {
    expect(groupIn(inVpc({ webhooks: { hosts } })).properties.SecurityGroupEgress).toEqual(ports);
  });

  it('takes security groups that are there in place of its own', () => {
    const template = inVpc({ vpc: { ...vpc, securityGroupIds: ['sg-0123abcd'] } });
    expect(resourcesOf(template, 'AWS::EC2::SecurityGroup')).toEqual({});
    const config = { SubnetIds: vpc.subnetIds, SecurityGroupIds: ['sg-0123abcd'] };
    expect(configsIn(template)).toEqual(Array(4).fill(config));
  });
});
