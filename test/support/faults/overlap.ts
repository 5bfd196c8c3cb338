import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DynamoDBClient,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  TransactionCanceledException,
  TransactionConflictException,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import type { FinalizeRequestMiddleware } from '@smithy/types';

export interface OverlapOptions {
  /** How long a transaction holds its items; AWS names no time, and answers most transactions within 10 to 20 ms. */
  readonly heldMs: number;
  /** The part of the transactions that also meet one of somebody else, whom we do not see; 0 to 1. */
  readonly foreign?: number;
  /** In [0, 1). */
  readonly random?: () => number;
}

type Keyed = { readonly TableName?: string | undefined; readonly Key?: object | undefined };
type Input = Keyed & { readonly TransactItems?: readonly TransactWriteItem[] };

/** A Put has no key beside its item, and only its table knows which part of that is the key: it is let through. */
const itemName = ({ TableName, Key }: Keyed): string | undefined => Key && `${TableName} ${JSON.stringify(Key)}`;

const itemsOf = (transactItems: readonly TransactWriteItem[]): readonly (string | undefined)[] =>
  transactItems.map(({ Update, Delete, ConditionCheck }) => itemName(Update ?? Delete ?? ConditionCheck ?? {}));

/**
 * Conflicts as DynamoDB makes them and the emulator, which carries out one transaction at a time, never does: while one
 * transaction holds an item, another one that names it is cancelled, and a single write to it is refused.
 * Source: "Transaction conflict handling in DynamoDB" in the developer guide.
 */
export class Overlaps {
  readonly #options: OverlapOptions;
  readonly #held = new Set<string>();
  /** Tries of transactions that were sent, and those of them that met a conflict. */
  transactions = 0;
  conflicts = 0;

  constructor(options: OverlapOptions) {
    this.#options = options;
  }

  /** From now on the client's transactions overlap with those of all other clients that were given to this. */
  attach(client: DynamoDBClient): DynamoDBClient {
    const meet: FinalizeRequestMiddleware<ServiceInputTypes, ServiceOutputTypes> = (next) => (args) => {
      const input = args.input as Input;
      if (input.TransactItems !== undefined) return this.#transact(itemsOf(input.TransactItems), () => next(args));
      // Reads are let through: only reads of a transaction conflict.
      const written = 'UpdateExpression' in input ? itemName(input) : undefined;
      if (written !== undefined && this.#held.has(written)) throw new TransactionConflictException(refusal);
      return next(args);
    };
    client.middlewareStack.add(meet, { step: 'finalizeRequest', priority: 'low', name: 'overlaps' });
    return client;
  }

  async #transact<T>(items: readonly (string | undefined)[], send: () => Promise<T>): Promise<T> {
    this.transactions += 1;
    const { heldMs, foreign = 0, random = Math.random } = this.#options;
    const last = items.length - 1;
    const isHeld = (item: string | undefined) => item !== undefined && this.#held.has(item);
    const met = items.map((item, i) => isHeld(item) || (i === last && random() < foreign));
    if (met.includes(true)) {
      this.conflicts += 1;
      // It has been there and back.
      await sleep(heldMs / 2);
      throw new TransactionCanceledException({
        ...refusal,
        CancellationReasons: met.map((conflict) => ({ Code: conflict ? 'TransactionConflict' : 'None' })),
      });
    }
    const named = items.filter((item) => item !== undefined);
    for (const item of named) this.#held.add(item);
    try {
      const [answer] = await Promise.all([send(), sleep(heldMs)]);
      return answer;
    } finally {
      for (const item of named) this.#held.delete(item);
    }
  }
}

const refusal = { message: 'another transaction holds the item, said the test', $metadata: {} };
