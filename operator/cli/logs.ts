import type { JobAnswer } from './answers.ts';
import { Failure } from './exit.ts';
import type { SdkConfig, Target } from './target.ts';

/** One line of a function's log. */
export interface LogLine {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly functionName: string;
  readonly text: string;
  /** The line's own members, where it is JSON. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** A function's clock and the API's may differ by this. */
const clockMarginMs = 60_000;

/**
 * The lines of all functions' logs that name a job, oldest first, from its submission on. The one thing that the command
 * line asks of AWS and not of the API, since the API does not read logs. Throws `Failure`.
 */
export const findLogLines = async (
  { functionNames, sdk }: Target,
  job: JobAnswer,
  linesMax: number,
): Promise<{ readonly lines: readonly LogLine[]; readonly more: boolean }> => {
  if (functionNames.length === 0) {
    throw new Failure('A URL alone does not tell the log groups.', 'Name the stack instead: --stack sluice-production');
  }
  const startTime = Date.parse(job.submittedAt) - clockMarginMs;
  const found = await Promise.all(functionNames.map((name) => linesOf(sdk, name, job.id, startTime, linesMax + 1)));
  const lines = found.flat().toSorted((a, b) => a.at - b.at);
  return { lines: lines.slice(0, linesMax), more: lines.length > linesMax };
};

const linesOf = async (
  sdk: SdkConfig,
  functionName: string,
  jobId: string,
  startTime: number,
  linesMax: number,
): Promise<readonly LogLine[]> => {
  const { CloudWatchLogsClient, paginateFilterLogEvents } = await import('@aws-sdk/client-cloudwatch-logs');
  const client = new CloudWatchLogsClient(sdk);
  const lines: LogLine[] = [];
  try {
    const logGroupName = await logGroupOf(sdk, functionName);
    // The id as a text and not as the field jobId: what a batch or the reconciler says of several jobs counts too.
    const input = { logGroupName, filterPattern: `"${jobId}"`, startTime };
    for await (const { events = [] } of paginateFilterLogEvents({ client }, input)) {
      for (const { timestamp = 0, message = '' } of events) {
        // Lines of metrics repeat what the log lines say.
        if (message.includes('"_aws"')) continue;
        lines.push({ at: timestamp, functionName, text: message.trimEnd(), fields: fieldsOf(message) });
      }
      if (lines.length >= linesMax) break;
    }
    return lines;
  } catch (error) {
    throw new Failure(
      `The log of ${functionName} could not be read: ${error instanceof Error ? error.message : error}`,
      'It takes the rights lambda:GetFunctionConfiguration and logs:FilterLogEvents.',
      { cause: error },
    );
  } finally {
    client.destroy();
  }
};

const logGroupOf = async (sdk: SdkConfig, functionName: string): Promise<string> => {
  const { GetFunctionConfigurationCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const client = new LambdaClient(sdk);
  try {
    const { LoggingConfig } = await client.send(new GetFunctionConfigurationCommand({ FunctionName: functionName }));
    return LoggingConfig?.LogGroup ?? `/aws/lambda/${functionName}`;
  } finally {
    client.destroy();
  }
};

const fieldsOf = (message: string): LogLine['fields'] => {
  try {
    const value: unknown = JSON.parse(message);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};
