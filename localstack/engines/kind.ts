/** Whose emulator answers at an endpoint. They differ in the paths under which they show what AWS has no call for. */
export type EmulatorKind = 'ministack' | 'localstack' | 'other';

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
};

/** MiniStack is asked first, since it answers under LocalStack's paths too. */
export const kindOf = async (endpointUrl: string): Promise<EmulatorKind> => {
  if (await answers(`${endpointUrl}/_ministack/health`)) return 'ministack';
  return (await answers(`${endpointUrl}/_localstack/health`)) ? 'localstack' : 'other';
};
