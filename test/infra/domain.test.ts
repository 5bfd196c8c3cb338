import { describe, expect, it } from 'vitest';
import { productionStage } from '#infra/stages.ts';
import { resourceOf, resourcesOf, templateOf } from '#test/support/infra/synthesize.ts';

const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/11111111-2222-3333-4444-555555555555';
const domain = { name: 'jobs.example.com', certificateArn };
const hostedZone = { id: 'Z0123456789ABC', name: 'example.com' };

const without = templateOf(productionStage);
const bare = templateOf({ ...productionStage, domain });
const inZone = templateOf({ ...productionStage, domain: { ...domain, hostedZone } });
const outputIn = (template: typeof bare, name: string) => template.findOutputs(name)[name]?.['Value'];

describe('a domain', () => {
  it('is none unless named', () => {
    expect(resourcesOf(without, 'AWS::ApiGateway::DomainName')).toEqual({});
    expect(outputIn(without, 'DomainTarget')).toBeUndefined();
  });

  it('serves the API at its root, with the certificate that was named and TLS 1.2 at least', () => {
    expect(resourceOf(bare, 'AWS::ApiGateway::DomainName', 'HttpDomain').Properties).toMatchObject({
      DomainName: 'jobs.example.com',
      RegionalCertificateArn: certificateArn,
      SecurityPolicy: 'TLS_1_2',
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    const mapping = resourceOf(bare, 'AWS::ApiGateway::BasePathMapping', 'HttpDomain').Properties;
    expect(mapping).toMatchObject({
      RestApiId: { Ref: expect.stringMatching(/^HttpRest/) },
      Stage: { Ref: expect.stringMatching(/^HttpRestDeploymentStage/) },
    });
    expect(mapping.BasePath).toBeUndefined();
  });

  it('is the URL that the outputs name, beside what a DNS record must point to', () => {
    expect(outputIn(bare, 'ApiUrl')).toBe('https://jobs.example.com/');
    expect(outputIn(bare, 'DomainTarget')).toEqual({
      'Fn::GetAtt': [expect.stringMatching(/^HttpDomain/), 'RegionalDomainName'],
    });
  });

  it('gets its record in a hosted zone that is named, and none otherwise', () => {
    expect(resourcesOf(bare, 'AWS::Route53::RecordSet')).toEqual({});
    expect(resourceOf(inZone, 'AWS::Route53::RecordSet', 'HttpDomainRecord').Properties).toMatchObject({
      Name: 'jobs.example.com.',
      Type: 'A',
      HostedZoneId: hostedZone.id,
      AliasTarget: { DNSName: { 'Fn::GetAtt': [expect.stringMatching(/^HttpDomain/), 'RegionalDomainName'] } },
    });
  });

  it('changes nothing of who may call: IAM authorises every method', () => {
    const methods = Object.values(resourcesOf(inZone, 'AWS::ApiGateway::Method'));
    expect(methods.map(({ Properties }) => Properties.AuthorizationType)).toEqual(Array(6).fill('AWS_IAM'));
  });
});
