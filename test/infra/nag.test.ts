import { readFileSync } from 'node:fs';
import { type App, type Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { BoundedJobQueue } from '#infra/bounded-job-queue.ts';
import { productionStage, type StageProps } from '#infra/stages.ts';
import { inEmptyStack, inStackOf, resourcesOf, templateOf } from '#test/support/infra/synthesize.ts';

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string;
      readonly violatingConstructs: readonly { readonly constructPath: string }[];
    }[];
  }[];
}

/** What the pack has to say, as `rule construct`, after acknowledgements. */
const findingsOf = (stack: Stack): readonly string[] => {
  const app = stack.node.root as App;
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  let failed = false;
  try {
    app.synth({ force: true });
  } catch {
    failed = true;
  }
  const report: Report = JSON.parse(readFileSync(`${app.outdir}/validation-report.json`, 'utf8'));
  const found = report.pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    ),
  );
  expect(failed).toBe(found.length > 0);
  return found;
};

const findingsIn = (stage: StageProps): readonly string[] => inStackOf(stage, findingsOf);

describe('cdk-nag, AwsSolutions', () => {
  it('finds nothing in the production stage but what infra/ acknowledges with a reason', () => {
    expect(findingsIn(productionStage)).toEqual([]);
  });

  it('finds no more in a stage with everything that may be added', () => {
    const stage: StageProps = {
      ...productionStage,
      customerManagedKey: true,
      vpc: { vpcId: 'vpc-0123abcd', subnetIds: ['subnet-0123abcd', 'subnet-4567abcd'] },
      domain: {
        name: 'jobs.example.com',
        certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/11111111-2222-3333-4444-555555555555',
        hostedZone: { id: 'Z0123456789ABC', name: 'example.com' },
      },
      alarmTopicArn: 'arn:aws:sns:eu-west-1:111122223333:alarms',
    };
    expect(findingsIn(stage)).toEqual([]);
  });

  it('finds nothing in another app’s stack either, bound to an account and a region', () => {
    const { api, consumer } = productionStage.entries;
    const found = inEmptyStack(
      (stack) => {
        new BoundedJobQueue(stack, 'Jobs', { entries: { api, consumer } });
        return findingsOf(stack);
      },
      { env: { account: '111122223333', region: 'eu-west-1' } },
    );
    expect(found).toEqual([]);
  });

  it('does look: an unencrypted connection to the queues is found', () => {
    expect(findingsIn({ ...productionStage, enforceSSL: false })).toEqual([
      expect.stringMatching(/^AwsSolutions-SQS4 .*Queue/),
      expect.stringMatching(/^AwsSolutions-SQS4 .*Queue/),
    ]);
  });
});

describe('a web ACL', () => {
  it('stands before the API if the stage names one', () => {
    const webAclArn = 'arn:aws:wafv2:eu-west-1:111111111111:regional/webacl/edge/1';
    const associations = resourcesOf(templateOf({ ...productionStage, webAclArn }), 'AWS::WAFv2::WebACLAssociation');
    expect(Object.values(associations).map(({ Properties }) => Properties)).toEqual([
      { WebACLArn: webAclArn, ResourceArn: expect.anything() },
    ]);
    expect(resourcesOf(templateOf(productionStage), 'AWS::WAFv2::WebACLAssociation')).toEqual({});
  });
});
