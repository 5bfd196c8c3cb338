import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { Failure } from '../operator/cli/exit.ts';
import type { Template } from './assembly.ts';
import type { Place } from './place.ts';

/** A stack as CloudFormation has it. */
export class DeployedStack {
  readonly #client: CloudFormationClient;
  readonly #stackName: string;

  constructor({ sdk }: Place, stackName: string) {
    this.#client = new CloudFormationClient(sdk);
    this.#stackName = stackName;
  }

  /**
   * The template as it was handed in; undefined if there is no such stack. Throws `Failure` if it is a stack of something
   * else, which no command here may touch.
   */
  async template(): Promise<Template | undefined> {
    if (!(await this.#isThere())) return undefined;
    const { TemplateBody } = await this.#client.send(new GetTemplateCommand({ StackName: this.#stackName }));
    const template = jobSystemIn(TemplateBody || '{}');
    if (template !== undefined) return template;
    throw new Failure(
      `The stack ${this.#stackName} is there already, and it is no job system: nothing was changed.`,
      'Give the --name of another one.',
    );
  }

  /** Names by logical id, of the resources that are there. */
  async physicalIds(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const pages = paginateListStackResources({ client: this.#client }, { StackName: this.#stackName });
    for await (const { StackResourceSummaries = [] } of pages)
      for (const { LogicalResourceId, PhysicalResourceId } of StackResourceSummaries)
        if (LogicalResourceId && PhysicalResourceId) found.set(LogicalResourceId, PhysicalResourceId);
    return found;
  }

  async outputs(): Promise<Readonly<Record<string, string>>> {
    const { Stacks } = await this.#client.send(new DescribeStacksCommand({ StackName: this.#stackName }));
    return Object.fromEntries(
      (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
    );
  }

  async #isThere(): Promise<boolean> {
    try {
      await this.#client.send(new DescribeStacksCommand({ StackName: this.#stackName }));
      return true;
    } catch (error) {
      if (error instanceof Error && /does not exist/.test(error.message)) return false;
      throw error;
    }
  }
}

/** Undefined if the template is that of something else; one that has nothing in it yet may become anything. */
const jobSystemIn = (body: string): Template | undefined => {
  const template = parsed(body);
  if (Object.keys(template?.Resources ?? {}).length === 0) return template && { Resources: {} };
  const { Outputs = {} } = template ?? {};
  return 'JobsTableName' in Outputs && 'ReconcileFunctionName' in Outputs ? (template as Template) : undefined;
};

/** CloudFormation takes YAML as well; we hand in JSON. */
const parsed = (body: string): Partial<Template> | undefined => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};
