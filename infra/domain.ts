import { DomainName, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';

/** A name of your own for the API. Its first URL goes on working. */
export interface DomainProps {
  /** `jobs.example.com` */
  readonly name: string;
  /** From ACM, in the API's region, for this name. */
  readonly certificate: ICertificate;
  /** Gets a record for the name. Without it make one elsewhere: a CNAME to the output `DomainTarget`. */
  readonly existingHostedZone?: IHostedZone;
}

/** Serves the API under that name as well, at the root of it. */
export const addDomain = (scope: Construct, rest: RestApi, props: DomainProps): DomainName => {
  const domain = new DomainName(scope, 'Domain', {
    domainName: props.name,
    certificate: props.certificate,
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  domain.addBasePathMapping(rest, { stage: rest.deploymentStage });
  if (props.existingHostedZone !== undefined) {
    new ARecord(scope, 'DomainRecord', {
      zone: props.existingHostedZone,
      recordName: props.name,
      target: RecordTarget.fromAlias(new ApiGatewayDomain(domain)),
    });
  }
  return domain;
};
