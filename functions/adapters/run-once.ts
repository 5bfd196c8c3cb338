import {
  IdempotencyConfig,
  IdempotencyItemAlreadyExistsError,
  makeIdempotent,
} from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context } from 'aws-lambda';
import type { Outcome } from '#core/outcome.ts';
import type { RunOnce } from '#functions/ports.ts';

type Hooks = Pick<Parameters<RunOnce>[0], 'begin' | 'conclude' | 'work'>;

/** Tells Powertools that the attempt failed, so that it "deletes the record": for us, the finish with that outcome. */
class AttemptFailed extends Error {
  override readonly name = 'AttemptFailed';
}

/**
 * The job record as Powertools' idempotency store, one instance per attempt.
 *
 *   Powertools               here
 *   save in progress    →    the guarded start (attempt, owner, lease); refused: "already exists"
 *   save success        →    the finish, one transaction with the handler's writes, fenced by the owner
 *   delete record       →    the finish of a failed attempt: retrying or dead, never a deletion
 *
 * The instance is a mailbox: what happened is kept here and read by `runOnce`, since the error classes that Powertools
 * wraps around a refusal and around a broken store are the same.
 */
class JobRecordLayer extends DynamoDBPersistenceLayer {
  readonly #hooks: Hooks;
  outcome: Outcome | undefined;
  broken: { readonly error: unknown } | undefined;
  refused = false;

  constructor(hooks: Hooks, client: DynamoDBClient) {
    super({ tableName: 'the job store has it', awsSdkV3Client: client });
    this.#hooks = hooks;
  }

  protected override async _putRecord(record: IdempotencyRecord): Promise<void> {
    const started = await this.#keep(this.#hooks.begin());
    if (started) return;
    this.refused = true;
    throw new IdempotencyItemAlreadyExistsError(
      'the job was not started',
      new IdempotencyRecord({
        idempotencyKey: record.idempotencyKey,
        status: 'INPROGRESS',
        ...(record.payloadHash !== undefined && { payloadHash: record.payloadHash }),
      }),
    );
  }

  protected override async _updateRecord(): Promise<void> {
    await this.#conclude();
  }

  protected override async _deleteRecord(): Promise<void> {
    await this.#conclude();
  }

  async #conclude(): Promise<void> {
    if (this.outcome === undefined) throw new Error('an attempt ended without an outcome');
    await this.#keep(this.#hooks.conclude(this.outcome));
  }

  /** Keeps the error that the store threw, before Powertools wraps it. */
  async #keep<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      this.broken = { error };
      throw error;
    }
  }
}

/** `client` is only what Powertools' class wants to hold; every call of the attempt goes through `begin` and `conclude`. */
export const makeRunOnce =
  (client: DynamoDBClient): RunOnce =>
  async ({ key, remainingMs, begin, work, conclude }) => {
    const layer = new JobRecordLayer({ begin, work, conclude }, client);
    const config = new IdempotencyConfig({ throwOnNoIdempotencyKey: true });
    config.registerLambdaContext({ getRemainingTimeInMillis: remainingMs } as Context);
    const once = makeIdempotent(
      async (_message: typeof key): Promise<string> => {
        layer.outcome = await work();
        if (layer.outcome.kind !== 'done') throw new AttemptFailed();
        return layer.outcome.result;
      },
      { persistenceStore: layer, config },
    );
    try {
      await once(key);
    } catch (error) {
      if (layer.broken !== undefined) throw layer.broken.error;
      if (!layer.refused && !(error instanceof AttemptFailed)) throw error;
    }
  };
