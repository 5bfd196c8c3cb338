// The Node side of one Lambda environment: loads the handler named by _HANDLER, then answers one invocation after the
// other. A request is a line of JSON on the standard input; an answer is a line on the descriptor that the first argument
// names. Standard output and error belong to the handler, but for a mark after each invocation: a line that says that
// the log of this invocation is complete. The end of the standard input ends the process, so it cannot outlive its owner.

import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [answersFd, mark] = process.argv.slice(2);
const environment = process.env;

const answer = (message) => writeSync(Number(answersFd), `${JSON.stringify(message)}\n`);

// Taken before the handler is loaded, which may put others in their place.
const [writeOut, writeError] = [process.stdout, process.stderr].map((stream) => stream.write.bind(stream));

/** Resolves once this and all that was written before it has left the process: a pipe takes 64 KB at once. */
const written = (write, text) => new Promise((resolve) => write(text, resolve));

const describe = (error) => ({
  errorType: error?.name ?? 'Error',
  errorMessage: String(error?.message ?? error),
  trace: String(error?.stack ?? '').split('\n'),
});

const named = (name, message) => Object.assign(new Error(message), { name });

const loadHandler = async (handler) => {
  const dot = handler.lastIndexOf('.');
  const [moduleName, exportName] = [handler.slice(0, dot), handler.slice(dot + 1)];
  const file = ['.js', '.mjs', '.cjs']
    .map((extension) => join(environment.LAMBDA_TASK_ROOT, `${moduleName}${extension}`))
    .find((path) => existsSync(path));
  if (file === undefined) throw named('Runtime.ImportModuleError', `Cannot find module '${moduleName}'`);
  const module = await import(pathToFileURL(file).href);
  const found = module[exportName] ?? module.default?.[exportName];
  if (typeof found !== 'function') throw named('Runtime.HandlerNotFound', `${handler} is undefined or not exported`);
  return found;
};

const contextOf = ({ requestId, functionArn, deadlineMs }) => ({
  awsRequestId: requestId,
  invokedFunctionArn: functionArn,
  functionName: environment.AWS_LAMBDA_FUNCTION_NAME,
  functionVersion: environment.AWS_LAMBDA_FUNCTION_VERSION,
  memoryLimitInMB: environment.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  logGroupName: environment.AWS_LAMBDA_LOG_GROUP_NAME,
  logStreamName: environment.AWS_LAMBDA_LOG_STREAM_NAME,
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
});

const perform = async (handle, request) => {
  environment._X_AMZN_TRACE_ID = request.traceId ?? '';
  try {
    const result = await handle(JSON.parse(request.event), contextOf(request));
    return { payload: JSON.stringify(result === undefined ? null : result), isError: false };
  } catch (error) {
    return { payload: JSON.stringify(describe(error)), isError: true };
  }
};

let handle;
try {
  handle = await loadHandler(environment._HANDLER);
} catch (error) {
  answer({ initError: describe(error) });
  process.exit(1);
}
answer({ ready: true });

for await (const line of createInterface({ input: process.stdin })) {
  const outcome = await perform(handle, JSON.parse(line));
  await written(writeError, '');
  await written(writeOut, `${mark}\n`);
  answer(outcome);
}
process.exit(0);
