import { spawn } from 'node:child_process';
import { cdkEnvironment } from '../localstack/deploy.ts';
import { projectRoot } from '../localstack/places.ts';
import { Failure } from '../operator/cli/exit.ts';
import { isLoopback } from '../operator/cli/target.ts';
import type { Options } from './options.ts';
import type { Place } from './place.ts';

/** Runs the CDK's command on this terminal; all it prints are notes. Throws `Failure` when it does not end well. */
export const runCdk = (args: readonly string[], place: Place, { profile }: Options): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [
        `${projectRoot}/node_modules/aws-cdk/bin/cdk`,
        ...args,
        ...(profile === undefined ? [] : ['--profile', profile]),
        '--no-notices',
      ],
      // Notes go where the command's own go: its standard output is for the stack's outputs alone.
      { cwd: projectRoot, env: environmentFor(place, profile), stdio: ['inherit', 2, 2] },
    );
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Failure(`cdk ${args[0]} ended with ${code ?? signal}; its own message stands above.`));
    });
  });

/** An emulator on this machine gets its own key pair, and nothing of the developer's settings, unless a profile was named. */
const environmentFor = ({ region, sdk }: Place, profile: string | undefined): NodeJS.ProcessEnv => ({
  ...process.env,
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  ...(sdk.endpoint !== undefined && profile === undefined && isLoopback(sdk.endpoint) && cdkEnvironment(sdk.endpoint)),
});
