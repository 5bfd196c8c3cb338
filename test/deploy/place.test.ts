import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Options } from '../../deploy/options.ts';
import { bootstrapCommand, demandBootstrap, findPlace } from '../../deploy/place.ts';

const options: Options = { stage: 'production', stackName: 'sluice', yes: false, rollback: false };

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const answering = (status: number, body: string) => serve((_, response) => response.writeHead(status).end(body));

const identity = '<R><Arn>arn:aws:iam::111122223333:user/a</Arn><UserId>A</UserId><Account>111122223333</Account></R>';

describe('where a command acts', () => {
  test('is what AWS says of the credentials', async () => {
    const place = await findPlace({ ...options, region: 'eu-west-1' }, await answering(200, identity));
    expect(place).toMatchObject({
      account: '111122223333',
      region: 'eu-west-1',
      caller: 'arn:aws:iam::111122223333:user/a',
    });
    expect(bootstrapCommand(place, { ...options, profile: 'p' })).toBe(
      'npx cdk bootstrap aws://111122223333/eu-west-1 --profile p',
    );
  });

  test('is asked of no service with credentials that AWS does not take', async () => {
    const url = await answering(
      403,
      '<E><Error><Code>ExpiredToken</Code><Message>It has expired</Message></Error></E>',
    );
    await expect(findPlace(options, url)).rejects.toThrow('AWS does not take these credentials: It has expired');
  });

  test('is unknown when nothing answers, or something else does', async () => {
    await expect(findPlace(options, 'http://127.0.0.1:1')).rejects.toThrow('http://127.0.0.1:1 cannot be reached');
    await expect(findPlace(options, await answering(200, '<html>'))).rejects.toThrow('does not say who we are');
  });
});

describe('whether a region is bootstrapped', () => {
  const placeAt = async (status: number, type: string) => {
    const url = await serve((request, response) => {
      const isSts = request.headers['content-type'] === 'application/x-www-form-urlencoded';
      if (isSts) response.end(identity);
      else
        response
          .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
          .end(JSON.stringify({ __type: type }));
    });
    return findPlace(options, url);
  };

  test('who may not see that is told so, and goes on', async () => {
    const notes: string[] = [];
    await demandBootstrap(await placeAt(400, 'AccessDeniedException'), options, (line) => notes.push(line));
    expect(notes).toEqual([expect.stringContaining('could not be seen (AccessDeniedException)')]);
  });

  test('a region that is not is refused with the command that does it', async () => {
    const demanded = demandBootstrap(await placeAt(400, 'ParameterNotFound'), options, () => undefined);
    await expect(demanded).rejects.toMatchObject({
      message: 'The region us-east-1 of account 111122223333 is not bootstrapped for the CDK.',
      fix: expect.stringContaining('npx cdk bootstrap aws://111122223333/us-east-1'),
    });
  });
});
