import { describe, expect, it } from 'vitest';
import { productionStage } from '#infra/stages.ts';
import { type Resource, resourceOf, resourcesOf, templateOf } from '#test/support/infra/synthesize.ts';

const template = templateOf(productionStage);
const resources = resourcesOf(template, 'AWS::ApiGateway::Resource');
const methods = Object.values(resourcesOf(template, 'AWS::ApiGateway::Method'));

const pathOf = (id: string | undefined): string => {
  const resource = id === undefined ? undefined : resources[id];
  return resource ? `${pathOf(resource.Properties.ParentId.Ref)}/${resource.Properties.PathPart}` : '';
};

const routeOf = ({ Properties: method }: Resource): string => {
  const lambda = /"(Api|Operator)[0-9A-F]{8}"/.exec(JSON.stringify(method.Integration.Uri))?.[1];
  return `${method.HttpMethod} ${pathOf(method.ResourceId.Ref) || '/'} → ${lambda}`;
};

describe('the REST API', () => {
  it('sends operators’ routes to the operator Lambda and everything else to the submitters’', () => {
    expect(methods.map(routeOf).sort()).toEqual([
      'ANY / → Api',
      'ANY /jobs → Api',
      'ANY /jobs/{proxy+} → Api',
      'ANY /operator → Operator',
      'ANY /operator/{proxy+} → Operator',
      'ANY /{proxy+} → Api',
    ]);
  });

  it('asks IAM about every method', () => {
    expect(methods.map(({ Properties: method }) => method.AuthorizationType)).toEqual(methods.map(() => 'AWS_IAM'));
  });

  it('is throttled and traced, and its execution is not logged', () => {
    const { Properties: stage } = resourceOf(template, 'AWS::ApiGateway::Stage', 'Http');
    expect(stage.TracingEnabled).toBe(true);
    expect(stage.MethodSettings).toEqual([
      expect.objectContaining({
        HttpMethod: '*',
        ResourcePath: '/*',
        DataTraceEnabled: false,
        LoggingLevel: 'OFF',
        ThrottlingRateLimit: productionStage.requestsPerSecond,
        ThrottlingBurstLimit: productionStage.requestsBurst,
      }),
    ]);
  });

  it('writes into its access log what the gateway knows of a call, and no text of the caller’s', () => {
    const { Properties: stage } = resourceOf(template, 'AWS::ApiGateway::Stage', 'Http');
    // The whole of it: another variable must be looked at before it gets in. The session in `caller` has no quote, no
    // space and no line break (IAM's rule); method and route are names of this API.
    expect(JSON.parse(stage.AccessLogSetting.Format)).toEqual({
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
    });
  });
});

describe('answers that the gateway makes by itself', () => {
  const answers = Object.values(resourcesOf(template, 'AWS::ApiGateway::GatewayResponse')).map((resource) => ({
    type: resource.Properties.ResponseType,
    status: Number(resource.Properties.StatusCode),
    headers: resource.Properties.ResponseParameters,
    problem: JSON.parse(resource.Properties.ResponseTemplates['application/json']),
  }));

  it.each(answers)('$type is a problem of its own status with every member', ({ status, headers, problem }) => {
    expect(headers['gatewayresponse.header.Content-Type']).toBe("'application/problem+json'");
    expect(problem).toEqual({
      type: 'about:blank',
      title: expect.stringMatching(/./),
      status,
      detail: expect.stringMatching(/\.$/),
      code: expect.stringMatching(/^[a-z-]+$/),
      retryable: status === 429 || status === 503,
      requestId: '$context.requestId',
    });
    expect('gatewayresponse.header.Retry-After' in headers).toBe(problem.retryable);
  });

  it('uses the contract’s codes', () => {
    const codes = Object.fromEntries(answers.map(({ type, status, problem }) => [type, `${status} ${problem.code}`]));
    expect(codes).toEqual({
      ACCESS_DENIED: '403 forbidden',
      UNAUTHORIZED: '403 forbidden',
      MISSING_AUTHENTICATION_TOKEN: '403 forbidden',
      INVALID_SIGNATURE: '403 forbidden',
      EXPIRED_TOKEN: '403 forbidden',
      WAF_FILTERED: '403 forbidden',
      REQUEST_TOO_LARGE: '413 payload-too-large',
      THROTTLED: '429 rate-limited',
      QUOTA_EXCEEDED: '429 rate-limited',
      INTEGRATION_TIMEOUT: '503 unavailable',
      INTEGRATION_FAILURE: '503 unavailable',
      BAD_REQUEST_BODY: '400 invalid-request',
      BAD_REQUEST_PARAMETERS: '400 invalid-request',
      DEFAULT_4XX: '403 forbidden',
      DEFAULT_5XX: '500 internal',
    });
  });
});

describe('outputs', () => {
  it('name everything that a client or an operator must find', () => {
    expect(Object.keys(template.findOutputs('*'))).toEqual(
      expect.arrayContaining([
        'ApiUrl',
        'QueueUrl',
        'DeadLetterQueueUrl',
        'JobsTableName',
        'LedgerTableName',
        'ApiFunctionName',
        'ConsumerFunctionName',
        'OperatorFunctionName',
        'ReconcileFunctionName',
        'EventSourceMappingId',
      ]),
    );
  });
});
