import { Fn } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { readWebhookSettings } from '#functions/env.ts';
import { localStage, productionStage, type StageProps } from '#infra/stages.ts';
import { resourceOf, resourcesOf, templateOf } from '#test/support/infra/synthesize.ts';

const settingsOf = (stage: StageProps) => {
  const { Variables: variables } = resourceOf(templateOf(stage), 'AWS::Lambda::Function', 'Consumer').Properties
    .Environment;
  return readWebhookSettings(variables);
};

/** Statements of the consumer's policy for these services, as the template has them. */
const statementsOf = (stage: StageProps, services: RegExp): unknown[] => {
  const policies = Object.entries(resourcesOf(templateOf(stage), 'AWS::IAM::Policy'));
  return policies
    .filter(([id]) => id.startsWith('Consumer'))
    .flatMap(([, { Properties: policy }]) => policy.PolicyDocument.Statement)
    .filter(({ Action }) => services.test(String(Action)));
};

const withSigning = (signing: NonNullable<StageProps['webhooks']['signing']>): StageProps => ({
  ...productionStage,
  webhooks: { hosts: ['hooks.example'], signing },
});

describe('webhooks', () => {
  it('production delivers nowhere until hosts are named, by https and to public addresses only', () => {
    expect(settingsOf(productionStage)).toEqual({ hosts: [], allowHttp: false, allowPrivateAddresses: false });
  });

  it('the local stage delivers to this machine', () => {
    expect(settingsOf(localStage)).toEqual({
      hosts: ['127.0.0.1:*', 'localhost:*'],
      allowHttp: true,
      allowPrivateAddresses: true,
    });
  });

  it.each([
    [
      { hosts: ['Hooks.example'] },
      /webhooks\.hosts\.0: must be a host, host:port or host:\*, in lower case.*Hooks\.example/,
    ],
    [{ hosts: ['https://hooks.example'] }, /webhooks\.hosts\.0: must be a host/],
    [{ hosts: [], signing: { parameterName: '' } }, /webhooks\.signingParameter/],
  ])('%j would end the consumer at its first invocation, and is refused at synth', (webhooks, why) => {
    expect(() => templateOf({ ...productionStage, webhooks })).toThrow(why);
  });

  it('a host that is known at deployment only is let through', () => {
    expect(() => templateOf({ ...productionStage, webhooks: { hosts: [Fn.importValue('Host')] } })).not.toThrow();
  });

  it('the name of the parameter with the keys reaches the consumer, never a key', () => {
    const signing = { parameterName: '/sluice/webhook-keys', keyArn: 'arn:aws:kms:eu-west-1:111122223333:key/k' };
    expect(settingsOf(withSigning(signing))).toEqual({
      hosts: ['hooks.example'],
      allowHttp: false,
      allowPrivateAddresses: false,
      signingParameter: '/sluice/webhook-keys',
    });
  });

  it.each([productionStage, localStage])(
    'nothing secret may be read in the $name stage, where nothing is signed',
    (stage) => {
      expect(statementsOf(stage, /^(ssm|kms|secretsmanager):/)).toEqual([]);
    },
  );

  it.each(['/sluice/webhook-keys', 'webhook-keys'])(
    'only the parameter %s may be read where it signs',
    (parameterName) => {
      const [statement, ...others] = statementsOf(withSigning({ parameterName }), /^(ssm|kms):/);
      expect(others).toEqual([]);
      expect(statement).toMatchObject({ Effect: 'Allow', Action: 'ssm:GetParameter' });
      const end = `:parameter/${parameterName.replace(/^\//, '')}"`;
      expect(JSON.stringify(statement)).toContain(end);
      expect(JSON.stringify(statement)).not.toContain('*');
    },
  );

  it('a key of one’s own may be used to decrypt it, and no other', () => {
    const keyArn = 'arn:aws:kms:eu-west-1:111122223333:key/k';
    const statements = statementsOf(withSigning({ parameterName: '/keys', keyArn }), /^kms:/);
    expect(statements).toEqual([{ Effect: 'Allow', Action: 'kms:Decrypt', Resource: keyArn }]);
  });
});
