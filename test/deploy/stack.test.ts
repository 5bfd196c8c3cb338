import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { DeployedStack } from '../../deploy/stack.ts';

/** A stack of this template, as CloudFormation has it. */
const stackOf = async (template: string): Promise<DeployedStack> => {
  const result = {
    DescribeStacks: '<Stacks><member/></Stacks>',
    GetTemplate: `<TemplateBody>${template}</TemplateBody>`,
  };
  const server = createServer(async (request, response) => {
    const action = new URLSearchParams(await text(request)).get('Action') as keyof typeof result;
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end(`<${action}Response><${action}Result>${result[action]}</${action}Result></${action}Response>`);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = async () => ({ accessKeyId: 'test', secretAccessKey: 'test' });
  const sdk = { region: 'eu-west-1', endpoint, credentials };
  return new DeployedStack({ account: '111122223333', region: 'eu-west-1', caller: 'a', sdk }, 'sluice');
};

const outputs = { JobsTableName: { Value: 't' }, ReconcileFunctionName: { Value: 'f' } };
const jobs = { Resources: { Jobs: { Type: 'AWS::DynamoDB::Table' } }, Outputs: outputs };

test('a job system is known by its outputs', async () => {
  expect(await (await stackOf(JSON.stringify(jobs))).template()).toEqual(jobs);
});

test.each(['{}', ''])('a stack that has nothing in it yet may become one: "%s"', async (template) => {
  expect(await (await stackOf(template)).template()).toEqual({ Resources: {} });
});

test.each([
  ['without outputs', JSON.stringify({ Resources: jobs.Resources })],
  ['with others', JSON.stringify({ Resources: jobs.Resources, Outputs: { ApiUrl: { Value: 'u' } } })],
  ['in YAML', 'Resources:\n  Orders:\n    Type: AWS::DynamoDB::Table\n'],
])('a stack of something else is neither deployed over nor destroyed: %s', async (_what, template) => {
  await expect((await stackOf(template)).template()).rejects.toMatchObject({
    name: 'Failure',
    message: expect.stringContaining('it is no job system: nothing was changed'),
  });
});
