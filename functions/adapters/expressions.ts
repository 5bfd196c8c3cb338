import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Job } from '#core/job.ts';
import type { JobWrite, WriteExpression } from '#core/job-write.ts';
import { historyValue, type Item, toItem } from './job-item.ts';

/** Update and condition texts with their names and values, collected so that every attribute goes by a placeholder. */
export class Expressions {
  readonly names: Record<string, string> = {};
  readonly values: Item = {};
  readonly sets: string[] = [];
  readonly removes: string[] = [];

  name(attribute: string): string {
    const placeholder = `#${attribute}`;
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(placeholder: string, value: AttributeValue): string {
    this.values[`:${placeholder}`] = value;
    return `:${placeholder}`;
  }

  set(attribute: string, value: AttributeValue): void {
    this.sets.push(`${this.name(attribute)} = ${this.value(attribute, value)}`);
  }

  add(attribute: string, by: number): void {
    this.sets.push(`${this.name(attribute)} = ${this.name(attribute)} + ${this.value(`plus${by}`, { N: String(by) })}`);
  }

  remove(attribute: string): void {
    this.removes.push(this.name(attribute));
  }

  update(): string {
    const remove = this.removes.length > 0 ? ` REMOVE ${this.removes.join(', ')}` : '';
    return `SET ${this.sets.join(', ')}${remove}`;
  }
}

/**
 * The difference that a transition made, as SET and REMOVE of just those attributes. New history entries are appended,
 * so that an entry which somebody else appended in between survives; a history that was cut is written whole.
 */
export const difference = (from: Job, to: Job, expressions: Expressions, leaveOut: ReadonlySet<string>): void => {
  const before = toItem(from);
  const after = toItem(to);
  for (const attribute of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (attribute === 'history' || leaveOut.has(attribute)) continue;
    const value = after[attribute];
    if (value === undefined) expressions.remove(attribute);
    else if (JSON.stringify(value) !== JSON.stringify(before[attribute])) expressions.set(attribute, value);
  }
  const grown = to.history.length > from.history.length && from.history.every((entry, i) => entry === to.history[i]);
  const history = expressions.name('history');
  if (grown) {
    const added = expressions.value('history', historyValue(to.history.slice(from.history.length)));
    expressions.sets.push(`${history} = list_append(${history}, ${added})`);
  } else if (to.history !== from.history) {
    expressions.set('history', historyValue(to.history));
  } else {
    delete expressions.names[history];
  }
};

const marshalled = (value: object): Item => marshall(value, { removeUndefinedValues: true }) as Item;

/** Update and condition of one write share their placeholders' names; two values under one name are a mistake. */
const merged = (...parts: (WriteExpression | undefined)[]) => {
  refuseClash(parts.map((p) => p?.names ?? {}));
  refuseClash(parts.map((p) => p?.values ?? {}));
  const names = Object.assign({}, ...parts.map((p) => p?.names ?? {})) as Record<string, string>;
  const values = marshalled(Object.assign({}, ...parts.map((p) => p?.values ?? {})) as object);
  return {
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
};

const refuseClash = (parts: readonly Readonly<Record<string, unknown>>[]): void => {
  const seen = new Map<string, string>();
  for (const [placeholder, value] of parts.flatMap((part) => Object.entries(part))) {
    const text = JSON.stringify(value);
    if (seen.has(placeholder) && seen.get(placeholder) !== text) {
      throw new TypeError(`update and condition use ${placeholder} for two different things`);
    }
    seen.set(placeholder, text);
  }
};

/** A handler's write as an element of TransactWriteItems. */
export const transactItem = (write: JobWrite, tableName: string) => {
  const condition = write.condition === undefined ? {} : { ConditionExpression: write.condition.expression };
  const target = { TableName: tableName, Key: marshalled(write.key) };
  switch (write.kind) {
    case 'put':
      return {
        Put: {
          TableName: tableName,
          Item: marshalled({ ...write.item, ...write.key }),
          ...condition,
          ...merged(write.condition),
        },
      };
    case 'update':
      return {
        Update: {
          ...target,
          UpdateExpression: write.update.expression,
          ...condition,
          ...merged(write.update, write.condition),
        },
      };
    case 'delete':
      return { Delete: { ...target, ...condition, ...merged(write.condition) } };
    case 'check':
      return {
        ConditionCheck: {
          ...target,
          ConditionExpression: write.condition?.expression ?? `attribute_exists(${Object.keys(write.key)[0]})`,
          ...merged(write.condition),
        },
      };
  }
};
