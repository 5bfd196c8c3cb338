import { NestedStack, Stack, type StackProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { BoundedJobQueue, type BoundedJobQueueProps, type Limits, localSettings, productionLimits } from 'sluice/infra';
import { describe, expect, it } from 'vitest';
import { productionStage } from '#infra/stages.ts';
import { inEmptyStack, resourceOf, resourcesOf } from '#test/support/infra/synthesize.ts';

const { api, consumer } = productionStage.entries;
const entries = { api, consumer };

/** The template of a stack with one construct, made from what `props` makes of the stack. */
const templateWith = (props: (stack: Stack) => Partial<BoundedJobQueueProps>): Template =>
  inEmptyStack((stack) => {
    new BoundedJobQueue(stack, 'Jobs', { entries, ...props(stack) });
    return Template.fromStack(stack);
  });

const plain = templateWith(() => ({}));
const environmentOf = (template: Template, lambda: string) =>
  resourceOf(template, 'AWS::Lambda::Function', `Jobs${lambda}`).Properties.Environment.Variables;
const limitsIn = (template: Template) => JSON.parse(environmentOf(template, 'Api').SLUICE_LIMITS);

describe('what is left out', () => {
  it('is as in production', () => {
    expect(limitsIn(plain)).toEqual(productionLimits);
    const jobs = resourceOf(plain, 'AWS::DynamoDB::Table', 'JobsTablesJobs');
    expect(jobs).toMatchObject({ DeletionPolicy: 'Retain', Properties: { DeletionProtectionEnabled: true } });
    expect(Object.values(resourcesOf(plain, 'AWS::SQS::QueuePolicy'))).toHaveLength(2);
    const groups = Object.values(resourcesOf(plain, 'AWS::Logs::LogGroup'));
    expect(groups.map(({ Properties }) => Properties.RetentionInDays)).toEqual(groups.map(() => 90));
  });

  it('is what is undefined too, for those who do not compile with exactOptionalPropertyTypes', () => {
    const props = { tracing: undefined, deletionProtection: undefined } as unknown as Partial<BoundedJobQueueProps>;
    expect(templateWith(() => props).toJSON()).toEqual(plain.toJSON());
    const limits = { capacity: undefined } as unknown as Partial<Limits>;
    expect(limitsIn(templateWith(() => ({ limits })))).toEqual(productionLimits);
  });

  it('is made of the limits that are given and the others of production, which must agree', () => {
    expect(limitsIn(templateWith(() => ({ limits: { capacity: 7 } })))).toEqual({ ...productionLimits, capacity: 7 });
    expect(() => templateWith(() => ({ limits: { visibilitySeconds: 10 } }))).toThrow(/visibilitySeconds \(10\) must/);
  });

  it('has no table of the sample job', () => {
    expect(Object.keys(resourcesOf(plain, 'AWS::DynamoDB::Table'))).toEqual([
      expect.stringMatching(/^JobsTablesJobs[0-9A-F]{8}$/),
    ]);
    expect(environmentOf(plain, 'Consumer').JOB_TABLES).toBe('{}');
  });
});

describe('the name', () => {
  /** Whatever must be unique in account and region, and the API's, which is the dimension of its metrics. */
  const named = {
    'AWS::Lambda::Function': 'FunctionName',
    'AWS::SQS::Queue': 'QueueName',
    'AWS::CloudWatch::Alarm': 'AlarmName',
    'AWS::CloudWatch::Dashboard': 'DashboardName',
    'AWS::ApiGateway::RestApi': 'Name',
  };
  const namesIn = (template: Template): string[] =>
    Object.entries(named).flatMap(([type, property]) =>
      Object.values(resourcesOf(template, type)).map(({ Properties }) => Properties[property]),
    );

  it('is the stack’s with the construct’s, so that two fit into one stack', () => {
    const template = inEmptyStack((stack) => {
      for (const id of ['Mail', 'Invoices']) new BoundedJobQueue(stack, id, { entries });
      return Template.fromStack(stack);
    });
    const names = namesIn(template);
    expect(names).toContain('sluice-under-test-Mail-consumer');
    expect(names).toContain('sluice-under-test-Invoices-consumer');
    // An API and a dashboard may have one name, two of a kind may not.
    expect(names).toHaveLength(2 * namesIn(plain).length);
    expect(new Set(names).size).toBe(2 * new Set(namesIn(plain)).size);
  });

  it('is the one that is given', () => {
    for (const name of namesIn(templateWith(() => ({ name: 'mail' })))) expect(name).toMatch(/^mail(-|$)/);
  });

  it.each(['', '1st', 'with space', 'x'.repeat(55)])('may not be "%s", and the error says what may', (name) => {
    expect(() => templateWith(() => ({ name }))).toThrow(/must begin with a letter and have 1 to 54 characters/);
  });

  it('is that of one only in a stack, or in an account and region that are known', () => {
    const systemsIn = (...stacks: readonly StackProps[]) =>
      inEmptyStack((stack) => {
        for (const [i, props] of stacks.entries()) {
          new BoundedJobQueue(new Stack(stack.node.root, `Stack${i}`, props), 'Jobs', { entries, name: 'mail' });
        }
      });
    const at = (region: string): StackProps => ({ env: { account: '111122223333', region } });
    expect(() => systemsIn(at('eu-west-1'), at('eu-west-1'))).toThrow(/called "mail": Stack0\/Jobs and Stack1\/Jobs/);
    expect(() => systemsIn(at('eu-west-1'), at('us-east-1'))).not.toThrow();
    // Where they are deployed is said by the profile of the day.
    expect(() => systemsIn({}, {})).not.toThrow();
    const both = () =>
      inEmptyStack((stack) => {
        for (const id of ['A', 'B']) new BoundedJobQueue(stack, id, { entries, name: 'mail' });
      });
    expect(both).toThrow(/Give one of them another: name/);
  });

  it('must be given in a nested stack, whose own is not known at synth', () => {
    const nested = (name?: string) => () =>
      inEmptyStack(
        (stack) => new BoundedJobQueue(new NestedStack(stack, 'Nested'), 'Jobs', { entries, ...(name && { name }) }),
      );
    expect(nested()).toThrow(/Give it one: name/);
    expect(nested('mail')).not.toThrow();
  });
});

describe('what is there already', () => {
  const table = (stack: Stack, id: string, encryption = TableEncryption.DEFAULT) =>
    new Table(stack, id, { encryption, partitionKey: { name: 'id', type: AttributeType.STRING } });

  it('tables: handlers find them by their logical names, and the consumer may write to them and not read', () => {
    const template = templateWith((stack) => ({ existingTables: { orders: table(stack, 'Orders') } }));
    const ref = Object.keys(resourcesOf(template, 'AWS::DynamoDB::Table')).find((id) => id.startsWith('Orders'));
    expect(environmentOf(template, 'Consumer').JOB_TABLES).toEqual({
      'Fn::Join': ['', ['{"orders":"', { Ref: ref }, '"}']],
    });
    const about = JSON.stringify({ 'Fn::GetAtt': [ref, 'Arn'] });
    const policies = Object.entries(resourcesOf(template, 'AWS::IAM::Policy')).flatMap(([id, { Properties }]) =>
      Properties.PolicyDocument.Statement.filter((one: object) => JSON.stringify(one).includes(about)).map(
        ({ Action }: { Action: string[] }) => ({ id, Action }),
      ),
    );
    expect(policies).toEqual([
      {
        id: expect.stringMatching(/^JobsConsumerRole/),
        Action: ['dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      },
    ]);
  });

  it('tables under a key of theirs: the consumer alone may use that key, through DynamoDB', () => {
    const template = templateWith((stack) => ({
      existingTables: { orders: table(stack, 'Orders', TableEncryption.CUSTOMER_MANAGED) },
    }));
    const [keyId] = Object.keys(resourcesOf(template, 'AWS::KMS::Key'));
    const uses = Object.entries(resourcesOf(template, 'AWS::IAM::Policy')).flatMap(([id, { Properties }]) =>
      Properties.PolicyDocument.Statement.filter((one: object) => JSON.stringify(one).includes('kms:')).map(
        ({ Resource, Condition }: { Resource: unknown; Condition: object }) => ({ id, Resource, Condition }),
      ),
    );
    expect(uses).toEqual([
      {
        id: expect.stringMatching(/^JobsConsumerRole/),
        Resource: { 'Fn::GetAtt': [keyId, 'Arn'] },
        Condition: {
          StringEquals: {
            'kms:ViaService': [
              { 'Fn::Join': ['', ['dynamodb.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]] },
            ],
          },
        },
      },
    ]);
  });

  it('a topic: every alarm goes there, and the way back to OK', () => {
    const template = templateWith((stack) => ({ existingAlarmTopic: new Topic(stack, 'OnCall') }));
    const to = [{ Ref: Object.keys(resourcesOf(template, 'AWS::SNS::Topic'))[0] }];
    const alarms = Object.values(resourcesOf(template, 'AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties);
    expect(alarms.length).toBeGreaterThan(10);
    expect(
      alarms.filter(({ AlarmActions, OKActions }) => AlarmActions === undefined || OKActions === undefined),
    ).toEqual([]);
    for (const { AlarmActions, OKActions } of alarms) expect([AlarmActions, OKActions]).toEqual([to, to]);
  });

  it('a VPC: the functions run in its private subnets', () => {
    const template = templateWith((stack) => ({ existingVpc: new Vpc(stack, 'Vpc', { maxAzs: 2 }) }));
    for (const { Properties } of Object.values(resourcesOf(template, 'AWS::Lambda::Function'))) {
      if (Properties.FunctionName === undefined) continue;
      expect(Properties.VpcConfig.SubnetIds).toEqual([
        { Ref: expect.stringMatching(/^VpcPrivateSubnet1/) },
        { Ref: expect.stringMatching(/^VpcPrivateSubnet2/) },
      ]);
    }
  });

  it('subnets or security groups without their VPC are an error', () => {
    expect(() => templateWith(() => ({ vpcSubnets: {} }))).toThrow(/Give it too: existingVpc/);
    expect(() => templateWith(() => ({ existingSecurityGroups: [] }))).toThrow(/Give it too: existingVpc/);
  });

  it('no security groups in a VPC are an error, as Lambda takes none', () => {
    const props = (stack: Stack) => ({ existingVpc: new Vpc(stack, 'Vpc', { maxAzs: 2 }), existingSecurityGroups: [] });
    expect(() => templateWith(props)).toThrow(/existingSecurityGroups is an empty list/);
  });
});

describe('an entry', () => {
  it('must lie in a project, since its packages are bundled', () => {
    const astray = { api: '/nowhere/api.ts', consumer: '/nowhere/consumer.ts' };
    expect(() => templateWith(() => ({ entries: astray }))).toThrow(
      /No lock file .* above the entry \/nowhere\/consumer/,
    );
  });
});

describe('grants and outputs', () => {
  it('grantSubmit and grantOperate give what the managed policies give', () => {
    const template = inEmptyStack((stack) => {
      const jobs = new BoundedJobQueue(stack, 'Jobs', { entries, ...localSettings });
      const assumedBy = new AccountRootPrincipal();
      jobs.grantSubmit(new Role(stack, 'Shop', { assumedBy }));
      jobs.grantOperate(new Role(stack, 'Duty', { assumedBy }));
      jobs.addOutputs();
      return Template.fromStack(stack);
    });
    const documentOf = (type: string, id: string) => resourceOf(template, type, id).Properties.PolicyDocument;
    expect(documentOf('AWS::IAM::Policy', 'ShopDefaultPolicy')).toEqual(
      documentOf('AWS::IAM::ManagedPolicy', 'JobsAccessSubmit'),
    );
    expect(documentOf('AWS::IAM::Policy', 'DutyDefaultPolicy')).toEqual(
      documentOf('AWS::IAM::ManagedPolicy', 'JobsAccessOperate'),
    );
    expect(Object.keys(template.findOutputs('*'))).toEqual(
      expect.arrayContaining(['ApiUrl', 'ApiFunctionName', 'SubmitPolicyArn', 'OperatePolicyArn']),
    );
  });
});
