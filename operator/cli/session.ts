import type * as z from 'zod/mini';
import { type Answer, ApiClient, NoAnswerError } from '../client.ts';
import { type ProblemAnswer, problemAnswer } from './answers.ts';
import { Failure } from './exit.ts';
import type { Io } from './io.ts';
import { plainJson } from './render/plain.ts';
import type { Target } from './target.ts';

/** The API answered that it did not do what it was asked. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly problem: ProblemAnswer | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly text: string;
  constructor({ status, headers, body, text }: Answer) {
    const problem = problemAnswer.safeParse(body).data;
    super(problem?.detail ?? `the answer was ${status}`);
    this.status = status;
    this.problem = problem;
    this.retryAfterSeconds = Number(headers.get('retry-after')) || undefined;
    this.text = text;
  }
}

/** An answer that was a success, and whose body has the shape that was asked for. */
export interface Told<T> extends Answer<T> {
  readonly body: T;
}

const triesMax = 3;
/** What may pass by itself within seconds. A full queue and a closed intake are states, not accidents. */
const passing = new Set(['unavailable', 'rate-limited']);
const waitDefaultSeconds = 2;

/** One run of a command: the API that was found, and how its answers are shown. */
export class Session {
  readonly io: Io;
  readonly target: Target;
  readonly json: boolean;
  readonly #client: ApiClient;

  constructor(io: Io, target: Target, { json, timeoutMs }: { json: boolean; timeoutMs?: number }) {
    this.io = io;
    this.target = target;
    this.json = json;
    const { region, credentials } = target.sdk;
    this.#client = new ApiClient({ apiUrl: target.apiUrl, region, credentials, ...(timeoutMs && { timeoutMs }) });
  }

  /**
   * One call, tried again where the API or the gateway asks for that. Every call of this API may be repeated: a submission
   * has its key, the others ask for a state. Throws `RefusedError`, `Failure` and `NoAnswerError`.
   */
  async call<T>(
    schema: z.ZodMiniType<T>,
    method: 'GET' | 'POST',
    path: `/${string}`,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Told<T>> {
    for (let tries = 1; ; tries++) {
      const answer = await this.raw(method, path, body, headers);
      if (answer.status < 300) return { ...answer, body: this.#read(schema, answer, `${method} ${path}`) };
      const refused = new RefusedError(answer);
      if (tries === triesMax || !passing.has(refused.problem?.code ?? '')) throw refused;
      const seconds = refused.retryAfterSeconds ?? waitDefaultSeconds;
      this.io.note(`The API is ${refused.problem?.code}; trying again in ${seconds} s.`);
      await this.io.wait(seconds * 1000);
    }
  }

  /** One call, once, whatever is answered. Throws `NoAnswerError`. */
  async raw(
    method: 'GET' | 'POST',
    path: `/${string}`,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    try {
      return await this.#client.call(method, path, body, headers);
    } catch (error) {
      if (!(error instanceof NoAnswerError) || !this.target.source.startsWith('the local stack')) throw error;
      throw new Failure(error.message, 'Is the local stack running? npm run local:status, npm run local:up', {
        cause: error,
      });
    }
  }

  /** Prints an answer as it came, on one line, or else what `lines` makes of it. */
  show(answer: { readonly text: string }, lines: () => readonly string[]): void {
    if (this.json) this.showText(answer.text);
    else for (const line of lines()) this.io.out(line);
  }

  /** JSON text goes out byte by byte; only on a terminal control characters in its strings are spelled as escapes. */
  showText(text: string): void {
    this.io.out(this.io.isTerminal.out ? plainJson(text) : text);
  }

  #read<T>(schema: z.ZodMiniType<T>, { body }: Answer, call: string): T {
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    const where = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole').join(', ');
    throw new Failure(
      `The answer to ${call} is not one of this API's: ${where}.`,
      `Is ${this.target.apiUrl} the right URL, and is this clone as old as what is deployed?`,
    );
  }
}
