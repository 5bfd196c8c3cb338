import {
  AccessLogFormat,
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { addDomain, type DomainProps } from './domain.ts';
import { addGatewayProblems } from './gateway-problems.ts';
import type { JobSystem } from './job-system.ts';
import { addLogGroup } from './log-group.ts';

/**
 * What an access log line holds: who called what and how it went. Nothing of it is a text of the caller's: no query, header
 * or body, and not the path as it was called either, which may hold anything and is not escaped for this format.
 */
const accessLogFields = {
  requestId: '$context.requestId',
  at: '$context.requestTime',
  caller: '$context.identity.caller',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  gatewayError: '$context.error.responseType',
  responseBytes: '$context.responseLength',
  latencyMilliseconds: '$context.responseLatency',
  integrationStatus: '$context.integration.status',
  traceId: '$context.xrayTraceId',
};

/** The two Lambdas that answer calls, and a name of its own for the API. */
export interface JobApiProps {
  readonly system: JobSystem;
  readonly api: IFunction;
  readonly operator: IFunction;
  readonly domain: DomainProps | undefined;
}

/**
 * The REST API. IAM authorises every call: `execute-api:Invoke` on the path `jobs*` makes a submitter, on
 * `operator*` as well an operator. Methods and paths below that are not the gateway's business: it passes all of
 * them on, so that unknown routes, wrong methods and invalid bodies get our own answers.
 */
export class JobApi extends Construct {
  readonly rest: RestApi;
  /** Where it is called, with a slash at its end. */
  readonly url: string;
  /** What a DNS record for its own name must point to, if it has one. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, { system, api, operator, domain }: JobApiProps) {
    super(scope, id);
    const { settings } = system;
    const accessLog = addLogGroup(this, 'AccessLog', system);
    this.rest = new RestApi(this, 'Rest', {
      // It is the dimension of the API's own metrics, so that each system needs a name of its own.
      restApiName: system.name,
      endpointTypes: [EndpointType.REGIONAL],
      // API Gateway writes access logs only in accounts that gave it a role for that, once per region. The setting
      // belongs to the account, so destroying this stack must not take it away from other APIs.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: settings.removalPolicy,
      defaultMethodOptions: { authorizationType: AuthorizationType.IAM },
      deployOptions: {
        stageName: 'v1',
        tracingEnabled: settings.tracing,
        metricsEnabled: true,
        // It would quote requests.
        loggingLevel: MethodLoggingLevel.OFF,
        dataTraceEnabled: false,
        throttlingRateLimit: settings.requestsPerSecond,
        throttlingBurstLimit: settings.requestsBurst,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
    // CDK's own output of the URL, under a name that says less than ours.
    this.rest.node.tryRemoveChild('Endpoint');
    addGatewayProblems(this.rest);

    const toApi = new LambdaIntegration(api, { allowTestInvoke: false });
    const toOperator = new LambdaIntegration(operator, { allowTestInvoke: false });
    const { root } = this.rest;
    const jobs = root.addResource('jobs');
    const operatorRoot = root.addResource('operator');
    for (const resource of [jobs, jobs.addResource('{proxy+}')]) resource.addMethod('ANY', toApi);
    for (const resource of [operatorRoot, operatorRoot.addResource('{proxy+}')]) resource.addMethod('ANY', toOperator);
    // Everything else is unknown, and the submitters' Lambda says so: it holds the fewest rights.
    for (const resource of [root, root.addResource('{proxy+}')]) resource.addMethod('ANY', toApi);
    this.#guard(settings.webAclArn);
    this.url = domain === undefined ? this.rest.url : `https://${domain.name}/`;
    this.domainTarget = domain && addDomain(this, this.rest, domain).domainNameAliasDomainName;
  }

  /** A web ACL if one is named, and why the rest of what cdk-nag asks of an API is answered otherwise here. */
  #guard(webAclArn: string | undefined): void {
    if (webAclArn !== undefined) {
      const resourceArn = this.rest.deploymentStage.stageArn;
      new CfnWebACLAssociation(this, 'WebAcl', { resourceArn, webAclArn });
    }
    const rest = this.rest;
    acknowledge(rest, 'APIG3', 'Every caller is an IAM principal of the account; a public API names its webAclArn.');
    acknowledge(rest, 'COG4', 'IAM authorises every method; there are no users with passwords, only programs.');
    acknowledge(
      rest,
      'APIG2',
      'The Lambda validates, so that every refusal names its fields as a problem of the contract.',
    );
    acknowledge(
      rest,
      'APIG6',
      'Execution logs quote requests, and so payloads and keys; the access log says who and how.',
    );
    const logsPolicy = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs';
    acknowledge(
      rest,
      `IAM4[Policy::${logsPolicy}]`,
      'What API Gateway itself needs, once an account, to write its logs.',
    );
  }
}
