import { EmulatorError } from '../server.ts';

/** What can be started here to run the local stack on. The first is the one unless told otherwise. */
const engineNames = ['ministack', 'localstack-docker', 'localstack-host'] as const;
type EngineName = (typeof engineNames)[number];

/** An engine that is started here, or one that somebody else has started. */
export type EngineChoice = { readonly name: EngineName } | { readonly name: 'endpoint'; readonly endpointUrl: string };

const isEngineName = (name: string): name is EngineName => (engineNames as readonly string[]).includes(name);

const named = (name: string): EngineChoice => {
  if (isEngineName(name)) return { name };
  throw new EmulatorError(
    `There is no engine "${name}". Give one of ${engineNames.join(', ')}, or an emulator that is there already: ` +
      'AWS_ENDPOINT_URL=http://127.0.0.1:4566',
  );
};

/** These commands send made-up credentials and change whatever stack they find: that must never reach AWS itself. */
const checkedEndpoint = (text: string): string => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new EmulatorError(`AWS_ENDPOINT_URL is not a URL: "${text}". Give one like http://127.0.0.1:4566`);
  }
  if (
    /(^|\.)(amazonaws\.com(\.cn)?|amazonaws\.eu|api\.aws|api\.amazonwebservices\.(com\.cn|eu))\.?$/.test(url.hostname)
  ) {
    throw new EmulatorError(
      `AWS_ENDPOINT_URL names AWS itself, ${url.hostname}; this command is for emulators. To deploy to AWS: npm run deploy`,
    );
  }
  return url.origin;
};

/** The engine by `--engine`, else by `SLUICE_ENGINE`, else by `AWS_ENDPOINT_URL`. Throws `EmulatorError`. */
export const chooseEngine = (option: string | undefined, env: NodeJS.ProcessEnv): EngineChoice => {
  const name = option || env['SLUICE_ENGINE'];
  const endpoint = env['AWS_ENDPOINT_URL'];
  if (name && endpoint) {
    throw new EmulatorError(
      `Both the engine "${name}" and AWS_ENDPOINT_URL=${endpoint} are asked for. Leave one of them out: an engine is ` +
        'started here, an endpoint is there already.',
    );
  }
  if (endpoint) return { name: 'endpoint', endpointUrl: checkedEndpoint(endpoint) };
  return named(name || engineNames[0]);
};
