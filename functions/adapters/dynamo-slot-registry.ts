import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Control, Drain, Intake } from '#core/control.ts';
import { type Shard, type Slot, tokenRest, tokenTag } from '#core/slot.ts';
import type { ShardWritten, SlotRegistry } from '#functions/ports.ts';
import type { Item } from './job-item.ts';
import { batchGet, type DynamoConfig, isOwn } from './jobs-table.ts';

const controlId = 'control';
const shardId = (index: number): string => `slots#${index}`;
const tokenBytes = (token: string): Uint8Array => Uint8Array.from(Buffer.from(token, 'hex'));
const number = (n: number) => ({ N: String(n) });

/** A tenant's own set in a shard: only kept under a quota, and what it holds is short, since the item is rewritten whole. */
const tenantAttribute = (tag: string): string => `t#${tag}`;

const quotaOf = (token: string, max: number) => ({
  names: { '#tenant': tenantAttribute(tokenTag(token)) },
  values: { ':rests': { BS: [tokenBytes(tokenRest(token))] }, ':tenantMax': number(max) },
});
const hasRoom = '(attribute_not_exists(#members) AND #cap > :zero) OR size(#members) < #cap';
const withinQuota = '(attribute_not_exists(#tenant) OR size(#tenant) < :tenantMax)';

/** DynamoDB's BatchGetItem takes 100 keys. */
const readAtOnce = 100;

/**
 * The registry of slots: `slots#n {open, cap, members, version}`. A set of tokens and not a counter, so that taking and
 * freeing can be repeated, and the items list who is in flight.
 */
export class DynamoSlotRegistry implements SlotRegistry {
  readonly #c: DynamoConfig;
  constructor(config: DynamoConfig) {
    this.#c = config;
  }

  async readControl(): Promise<Control | undefined> {
    const { Item } = await this.#c.client.send(
      new GetItemCommand({ TableName: this.#c.jobsTable, Key: { id: { S: controlId } }, ConsistentRead: true }),
    );
    return Item && controlOf(Item);
  }

  async createControl(control: Control): Promise<void> {
    await this.#putControl(control, 'attribute_not_exists(#id)', { '#id': 'id' });
  }

  async changeControl(next: Control): Promise<boolean> {
    return this.#putControl(
      next,
      '#version = :before',
      { '#version': 'version' },
      { ':before': number(next.version - 1) },
    );
  }

  async markDealt(version: number): Promise<void> {
    await unlessRefused(
      this.#update(controlId, {
        UpdateExpression: 'SET #dealtVersion = :version',
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version', '#dealtVersion': 'dealtVersion' },
        ExpressionAttributeValues: { ':version': number(version) },
      }),
    );
  }

  async noteDrain(version: number, intake: Intake, drain: Drain): Promise<boolean> {
    const result = await unlessRefused(
      this.#update(controlId, {
        UpdateExpression: 'SET #intake = :intake, #drain = :drain',
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version', '#intake': 'intake', '#drain': 'drain' },
        ExpressionAttributeValues: {
          ':version': number(version),
          ':intake': { S: intake },
          ':drain': { M: drainItem(drain) },
        },
      }),
    );
    return result.kind === 'done';
  }

  async readShards(indexes: readonly number[]): Promise<readonly (Shard | undefined)[]> {
    const chunks = Array.from({ length: Math.ceil(indexes.length / readAtOnce) }, (_, i) =>
      indexes.slice(i * readAtOnce, (i + 1) * readAtOnce),
    );
    const items = await Promise.all(chunks.map((chunk) => batchGet(this.#c, chunk.map(shardId))));
    const shards = new Map(
      items
        .flat()
        .map((item) => shardOf(item))
        .map((shard) => [shard.index, shard]),
    );
    return indexes.map((index) => shards.get(index));
  }

  async createShard(shard: Omit<Shard, 'members'>): Promise<void> {
    await unlessRefused(
      this.#c.client.send(
        new PutItemCommand({
          TableName: this.#c.jobsTable,
          Item: {
            id: { S: shardId(shard.index) },
            open: { BOOL: shard.open },
            cap: number(shard.cap),
            version: number(shard.version),
          },
          ConditionExpression: 'attribute_not_exists(#id)',
          ExpressionAttributeNames: { '#id': 'id' },
        }),
      ),
    );
  }

  /** `size` of a missing set is an error to DynamoDB, so an empty shard has a branch of its own. */
  async take(slot: Slot, tenantMax?: number): Promise<'taken' | 'full' | 'closed' | 'absent' | 'tenant-full'> {
    if (tenantMax === 0) return 'tenant-full';
    const quota = tenantMax === undefined ? undefined : quotaOf(slot.token, tenantMax);
    const result = await unlessRefused(
      this.#update(shardId(slot.shard), {
        UpdateExpression: `ADD #members :tokens${quota ? ', #tenant :rests' : ''}`,
        ConditionExpression: `#open = :open AND (contains(#members, :token) OR ${quota ? `((${hasRoom}) AND ${withinQuota})` : hasRoom})`,
        ExpressionAttributeNames: { '#members': 'members', '#open': 'open', '#cap': 'cap', ...quota?.names },
        ExpressionAttributeValues: {
          ':tokens': { BS: [tokenBytes(slot.token)] },
          ':token': { B: tokenBytes(slot.token) },
          ':open': { BOOL: true },
          ':zero': number(0),
          ...quota?.values,
        },
      }),
    );
    if (result.kind === 'done') return 'taken';
    if (result.item === undefined) return 'absent';
    const shard = shardOf(result.item);
    // Our own first try: it was let in before whatever came in between.
    if (shard.members.includes(slot.token)) return 'taken';
    if (!shard.open) return 'closed';
    return shard.members.length < shard.cap ? 'tenant-full' : 'full';
  }

  async takeMany(shard: number, tokens: readonly string[], readCap: number): Promise<'taken' | 'moved'> {
    const room = readCap - tokens.length;
    if (room < 0 || tokens.length === 0) return 'moved';
    const result = await unlessRefused(
      this.#update(shardId(shard), {
        UpdateExpression: 'ADD #members :tokens',
        ConditionExpression:
          '#open = :open AND #cap = :cap AND (attribute_not_exists(#members) OR size(#members) <= :room)',
        ExpressionAttributeNames: { '#members': 'members', '#open': 'open', '#cap': 'cap' },
        ExpressionAttributeValues: {
          ':tokens': { BS: tokens.map(tokenBytes) },
          ':open': { BOOL: true },
          ':cap': number(readCap),
          ':room': number(room),
        },
      }),
    );
    if (result.kind === 'done') return 'taken';
    // The SDK repeats a call whose answer was lost, and then finds its own tokens there.
    const members = new Set(result.item && shardOf(result.item).members);
    return tokens.every((token) => members.has(token)) ? 'taken' : 'moved';
  }

  async free(shard: number, tokens: readonly string[]): Promise<void> {
    if (tokens.length === 0) return;
    const unique = [...new Set(tokens)];
    // Whether or not a quota was in force when they were taken: removing from a set that is not there costs nothing.
    const tenants = [...Map.groupBy(unique, tokenTag)];
    await unlessRefused(
      this.#update(shardId(shard), {
        UpdateExpression: `DELETE #members :tokens${tenants.map((_, i) => `, #t${i} :t${i}`).join('')}`,
        ConditionExpression: 'attribute_exists(#id)',
        ExpressionAttributeNames: {
          '#members': 'members',
          '#id': 'id',
          ...Object.fromEntries(tenants.map(([tag], i) => [`#t${i}`, tenantAttribute(tag)])),
        },
        ExpressionAttributeValues: {
          ':tokens': { BS: unique.map(tokenBytes) },
          ...Object.fromEntries(
            // Two jobs' tokens may have the same rest by chance, and DynamoDB refuses a set that names a member twice.
            tenants.map(([, own], i) => [`:t${i}`, { BS: [...new Set(own.map(tokenRest))].map(tokenBytes) }]),
          ),
        },
      }),
    );
  }

  async writeShard(
    next: Omit<Shard, 'members'>,
    read: Pick<Shard, 'cap' | 'version'> | undefined,
  ): Promise<ShardWritten> {
    if (read !== undefined && read.version > next.version) return { kind: 'superseded' };
    const result = await unlessRefused(
      this.#update(shardId(next.index), {
        UpdateExpression: 'SET #cap = :cap, #open = :open, #version = :version',
        ConditionExpression:
          read === undefined ? 'attribute_not_exists(#version)' : '#version = :readVersion AND #cap = :readCap',
        ExpressionAttributeNames: { '#cap': 'cap', '#open': 'open', '#version': 'version' },
        ExpressionAttributeValues: {
          ':cap': number(next.cap),
          ':open': { BOOL: next.open },
          ':version': number(next.version),
          ...(read && { ':readCap': number(read.cap), ':readVersion': number(read.version) }),
        },
        ReturnValues: 'ALL_NEW',
      }),
    );
    if (result.kind === 'done') return { kind: 'written', shard: shardOf(result.item ?? {}) };
    const found = result.item && shardOf(result.item);
    if (found === undefined) return { kind: 'superseded' };
    if (found.version > next.version) return { kind: 'superseded' };
    const ours = found.version === next.version && found.cap === next.cap && found.open === next.open;
    return { kind: ours ? 'written' : 'cap-changed', shard: found };
  }

  async #putControl(
    control: Control,
    condition: string,
    names: Record<string, string>,
    values?: Item,
  ): Promise<boolean> {
    const writer = this.#c.random.hex(6);
    const result = await unlessRefused(
      this.#c.client.send(
        new PutItemCommand({
          TableName: this.#c.jobsTable,
          Item: {
            id: { S: controlId },
            version: number(control.version),
            capacity: number(control.capacity),
            shards: number(control.shards),
            intake: { S: control.intake },
            dealtVersion: number(control.dealtVersion),
            ...(control.drain && { drain: { M: drainItem(control.drain) } }),
            writer: { S: writer },
          },
          ConditionExpression: condition,
          ExpressionAttributeNames: names,
          ...(values && { ExpressionAttributeValues: values }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    );
    // The SDK repeats a call whose answer was lost, and then finds its own write there.
    return result.kind === 'done' || isOwn(result.item, writer);
  }

  #update(id: string, input: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>) {
    return this.#c.client.send(
      new UpdateItemCommand({
        TableName: this.#c.jobsTable,
        Key: { id: { S: id } },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        ...input,
      }),
    );
  }
}

/** A refused condition is a value here, with the item that it saw. */
const unlessRefused = async (
  call: Promise<{ Attributes?: Item | undefined } | object>,
): Promise<{ kind: 'done' | 'refused'; item: Item | undefined }> => {
  try {
    const output = await call;
    return { kind: 'done', item: 'Attributes' in output ? output.Attributes : undefined };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { kind: 'refused', item: error.Item };
    throw error;
  }
};

const shardOf = (item: Item): Shard => ({
  index: Number(item['id']?.S?.slice(shardId(0).length - 1)),
  open: item['open']?.BOOL ?? false,
  cap: Number(item['cap']?.N ?? 0),
  members: (item['members']?.BS ?? []).map((bytes) => Buffer.from(bytes).toString('hex')),
  version: Number(item['version']?.N ?? 0),
});

const controlOf = (item: Item): Control => ({
  version: Number(item['version']?.N),
  capacity: Number(item['capacity']?.N),
  shards: Number(item['shards']?.N),
  intake: (item['intake']?.S ?? 'open') as Intake,
  dealtVersion: Number(item['dealtVersion']?.N ?? 0),
  drain: item['drain']?.M && drainOf(item['drain'].M),
});

const drainItem = (drain: Drain): Item => ({
  mode: { S: drain.mode },
  actor: { S: drain.actor },
  until: number(drain.until),
  cleanLooks: number(drain.cleanLooks),
});

const drainOf = (item: Item): Drain => ({
  mode: item['mode']?.S === 'cancel' ? 'cancel' : 'drain',
  actor: item['actor']?.S ?? '',
  until: Number(item['until']?.N),
  cleanLooks: Number(item['cleanLooks']?.N ?? 0),
});
