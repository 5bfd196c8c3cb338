import { Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Grant, type IGrantable, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

const actions = ['execute-api:Invoke'];

/** Methods and paths, named one by one: a route that comes later is nobody's until it is written here. */
const submitCalls = ['POST /jobs', 'GET /jobs', 'POST /jobs/*', 'GET /jobs/*'];
const operateCalls = [...submitCalls, 'GET /operator/*', 'POST /operator/*'];

/**
 * The two roles that callers may have, as grants for principals of this CDK app and as managed policies for all others.
 * Whose job is whose is not IAM's business: the API shows a submitter the jobs of its own role or user only.
 */
export class JobAccess extends Construct {
  readonly submitPolicy: ManagedPolicy;
  readonly operatePolicy: ManagedPolicy;
  readonly #rest: RestApi;

  constructor(scope: Construct, id: string, rest: RestApi) {
    super(scope, id);
    this.#rest = rest;
    this.submitPolicy = this.#policy('Submit', 'Submit, see, list and cancel jobs of its own.', submitCalls);
    this.operatePolicy = this.#policy('Operate', 'Operate the job system, and submit jobs.', operateCalls);
    this.#acknowledgePaths();
  }

  grantSubmit(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({ grantee, actions, resourceArns: this.#arns(submitCalls) });
  }

  grantOperate(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({ grantee, actions, resourceArns: this.#arns(operateCalls) });
  }

  #policy(id: string, description: string, calls: readonly string[]): ManagedPolicy {
    const statements = [new PolicyStatement({ actions, resources: this.#arns(calls) })];
    return new ManagedPolicy(this, id, { description, statements });
  }

  /** The rule names such a resource by its ARN, with the logical ids of what is known at deployment only. */
  #acknowledgePaths(): void {
    for (const arn of this.#arns(operateCalls.filter((path) => path.endsWith('*')))) {
      const joined: { 'Fn::Join': [string, (string | { Ref: string })[]] } = Stack.of(this).resolve(arn);
      const name = joined['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : `<${part.Ref}>`)).join('');
      const reason = 'A path with a job id in it has no other name; API, stage, method and start are named.';
      acknowledge(this, `IAM5[Resource::${name}]`, reason);
    }
  }

  #arns(calls: readonly string[]): string[] {
    const { stageName } = this.#rest.deploymentStage;
    return calls.map((call) => {
      const [method, path] = call.split(' ');
      return this.#rest.arnForExecuteApi(method, path, stageName);
    });
  }
}
