import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call as it passed: which function made it, what it was, and what DynamoDB said that it consumed. */
export interface CountedCall {
  /** The name under which the port was opened. */
  readonly by: string;
  /** `dynamodb:UpdateItem` */
  readonly kind: string;
  /** Refused by a condition, one of a transaction included. */
  readonly refused: boolean;
  /** Of tables and of each index (`tenant`, say). */
  readonly writeUnits: Readonly<Record<string, number>>;
  readonly readUnits: number;
  /** From the request to the answer. */
  readonly milliseconds: number;
}

interface Consumed {
  readonly CapacityUnits?: number;
  readonly Table?: { readonly CapacityUnits?: number };
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits?: number }>>;
}

const readsOnly = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']);

/**
 * Stands between Lambdas and the emulator and counts. Each function that is counted gets a port of its own. Requests to
 * DynamoDB leave with ReturnConsumedCapacity=INDEXES, which changes nothing else, and answers come back unchanged.
 */
export class CountingProxy {
  readonly #target: URL;
  readonly #servers: Server[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  #calls: CountedCall[] = [];
  /** Added to each call before it goes on. */
  delayMs = 0;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  /** The endpoint to give to the function that shall be counted under this name. */
  async open(by: string): Promise<string> {
    const server = createServer((incoming, answer) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', () => answer.destroy());
      incoming.on('end', () => {
        const target = incoming.headers['x-amz-target'];
        const [service = '', operation = ''] = typeof target === 'string' ? target.split('.') : [];
        const isDynamo = service.startsWith('DynamoDB');
        const body = isDynamo ? withCapacity(Buffer.concat(chunks)) : Buffer.concat(chunks);
        const at = performance.now();
        setTimeout(() => {
          const outgoing = request(this.#target, this.#optionsOf(incoming, body), (response) => {
            const parts: Buffer[] = [];
            response.on('data', (part: Buffer) => parts.push(part));
            response.on('error', () => answer.destroy());
            response.on('end', () => {
              const whole = Buffer.concat(parts);
              const kind = `${isDynamo ? 'dynamodb' : 'sqs'}:${operation}`;
              const counted = countedOf(by, kind, operation, isDynamo, response.statusCode ?? 0, whole, body);
              this.#calls.push({ ...counted, milliseconds: performance.now() - at });
              answer.writeHead(response.statusCode ?? 502, response.headers).end(whole);
            });
          });
          outgoing.on('error', () => answer.destroy());
          outgoing.end(body);
        }, this.delayMs);
      });
    });
    server.keepAliveTimeout = 60_000;
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** What passed since the last take. */
  take(): readonly CountedCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    this.#agent.destroy();
  }

  #optionsOf({ method, url, headers }: IncomingMessage, body: Buffer) {
    const { host } = this.#target;
    return { method, path: url, agent: this.#agent, headers: { ...headers, host, 'content-length': body.length } };
  }
}

const withCapacity = (body: Buffer): Buffer =>
  Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), ReturnConsumedCapacity: 'INDEXES' }));

const countedOf = (
  by: string,
  kind: string,
  operation: string,
  isDynamo: boolean,
  status: number,
  answer: Buffer,
  asked: Buffer,
): Omit<CountedCall, 'milliseconds'> => {
  if (!isDynamo) return { by, kind, refused: status >= 400, writeUnits: {}, readUnits: 0 };
  const { ConsumedCapacity = [], __type = '' } = JSON.parse(answer.toString() || '{}');
  const consumed: readonly Consumed[] = Array.isArray(ConsumedCapacity) ? ConsumedCapacity : [ConsumedCapacity];
  const refused = /ConditionalCheckFailed|TransactionCanceled/.test(__type);
  if (readsOnly.has(operation)) {
    const readUnits = readUnitsOf(operation, JSON.parse(asked.toString()), JSON.parse(answer.toString() || '{}'));
    return { by, kind, refused, writeUnits: {}, readUnits };
  }
  return { by, kind, refused, writeUnits: refused ? refusedUnits(asked) : writeUnitsOf(consumed), readUnits: 0 };
};

interface Keys {
  readonly Keys?: readonly unknown[];
  readonly ConsistentRead?: boolean;
}

/**
 * By DynamoDB's rules, since the emulator takes every read for a small one: 4 KB a unit, half a unit if it need not be
 * consistent; each item of a BatchGetItem by itself. Items are taken as long as their JSON, which is more than they are.
 */
const readUnitsOf = (
  operation: string,
  asked: Keys & { readonly RequestItems?: Readonly<Record<string, Keys>> },
  answer: {
    readonly Item?: unknown;
    readonly Items?: unknown;
    readonly Responses?: Readonly<Record<string, unknown[]>>;
  },
): number => {
  const blocks = (value: unknown) => Math.max(1, Math.ceil(JSON.stringify(value ?? {}).length / 4_096));
  const factor = (consistent: boolean | undefined) => (consistent ? 1 : 0.5);
  if (operation !== 'BatchGetItem') return blocks(answer.Item ?? answer.Items) * factor(asked.ConsistentRead);
  return Object.entries(asked.RequestItems ?? {}).reduce((sum, [table, { Keys = [], ConsistentRead }]) => {
    const found = answer.Responses?.[table] ?? [];
    const units = found.reduce<number>((total, item) => total + blocks(item), Keys.length - found.length);
    return sum + units * factor(ConsistentRead);
  }, 0);
};

const writeUnitsOf = (consumed: readonly Consumed[]): Record<string, number> => {
  const units: Record<string, number> = {};
  for (const { CapacityUnits = 0, GlobalSecondaryIndexes = {} } of consumed) {
    let ofIndexes = 0;
    for (const [name, index] of Object.entries(GlobalSecondaryIndexes)) {
      units[name] = (units[name] ?? 0) + (index.CapacityUnits ?? 0);
      ofIndexes += index.CapacityUnits ?? 0;
    }
    units['table'] = (units['table'] ?? 0) + CapacityUnits - ofIndexes;
  }
  return units;
};

/** DynamoDB charges a refused write but does not say it in the error: one unit, and two an item in a transaction. */
const refusedUnits = (asked: Buffer): Record<string, number> => {
  const { TransactItems } = JSON.parse(asked.toString());
  return { table: Array.isArray(TransactItems) ? 2 * TransactItems.length : 1 };
};
