import { isDeepStrictEqual } from 'node:util';
import type { WriteExpression } from '#core/job-write.ts';

export type Item = Readonly<Record<string, unknown>>;

/** What DynamoDB refuses as a request, whatever the items are: the finish that asked for it is `rejected`. */
export class InvalidWrites extends Error {
  override readonly name = 'InvalidWrites';
}

/**
 * The small part of DynamoDB's expression language that handlers here use. Everything else throws, because a double that
 * quietly ignores half of an expression would let a wrong handler pass. Reserved words are not known here: a bare name
 * that DynamoDB would refuse is found by the same suite against the emulator.
 */
const unsupported = (expression: string): never => {
  throw new TypeError(`the in-memory tables do not know the expression "${expression}"`);
};

/** Looks placeholders up and notes which were used: DynamoDB refuses an expression that leaves one of them over. */
class Placeholders {
  readonly #expression: WriteExpression;
  readonly #used = new Set<string>();

  constructor(expression: WriteExpression) {
    this.#expression = expression;
  }

  name(text: string): string {
    if (!text.startsWith('#')) return text;
    this.#used.add(text);
    const name = this.#expression.names?.[text];
    if (name === undefined) throw new InvalidWrites(`the name ${text} is used but not given`);
    return name;
  }

  value(text: string): unknown {
    this.#used.add(text);
    const values = this.#expression.values ?? {};
    if (!Object.hasOwn(values, text)) throw new InvalidWrites(`the value ${text} is used but not given`);
    return values[text];
  }

  assertNoneLeft(): void {
    const given = [...Object.keys(this.#expression.names ?? {}), ...Object.keys(this.#expression.values ?? {})];
    const left = given.filter((placeholder) => !this.#used.has(placeholder));
    if (left.length > 0) throw new InvalidWrites(`given but not used: ${left.join(', ')}`);
  }
}

const name = '#?[A-Za-z_][A-Za-z0-9_]*';
const value = ':[A-Za-z_][A-Za-z0-9_]*';
const existence = new RegExp(String.raw`^(attribute_exists|attribute_not_exists)\s*\(\s*(${name})\s*\)$`);
const comparison = new RegExp(String.raw`^(${name})\s*(=|>=)\s*(${value})$`);
const addition = new RegExp(String.raw`^(${name})\s+(${value})$`);
const assignment = new RegExp(String.raw`^(${name})\s*=\s*(${value})$`);

/** Whether the condition holds on the item that is there; without an item, no attribute exists. */
export const holds = (condition: WriteExpression, item: Item | undefined): boolean => {
  const placeholders = new Placeholders(condition);
  const terms = condition.expression
    .split(/\s+AND\s+/i)
    .map((term) => holdsTerm(term.trim(), placeholders, item ?? {}));
  placeholders.assertNoneLeft();
  return terms.every(Boolean);
};

const holdsTerm = (term: string, placeholders: Placeholders, item: Item): boolean => {
  const [, call, called] = existence.exec(term) ?? [];
  if (call && called) return Object.hasOwn(item, placeholders.name(called)) === (call === 'attribute_exists');
  const [, left, operator, right] = comparison.exec(term) ?? [];
  if (!left || !operator || !right) return unsupported(term);
  const attribute = item[placeholders.name(left)];
  const operand = placeholders.value(right);
  return operator === '=' ? isDeepStrictEqual(attribute, operand) : isAtLeast(attribute, operand);
};

/** Values of different types do not compare in DynamoDB: the condition is false, not an error. */
const isAtLeast = (attribute: unknown, operand: unknown): boolean => {
  if (typeof attribute === 'number' && typeof operand === 'number') return attribute >= operand;
  if (typeof attribute === 'string' && typeof operand === 'string') return attribute >= operand;
  return false;
};

/** The item after the update. An item that was not there begins with its key. */
export const updated = (update: WriteExpression, item: Item | undefined, key: Item): Item => {
  const placeholders = new Placeholders(update);
  const next: Record<string, unknown> = { ...(item ?? key) };
  for (const [action, clause] of clausesOf(update.expression)) {
    for (const part of clause.split(',').map((text) => text.trim())) {
      const [, left, right] = (action === 'ADD' ? addition : assignment).exec(part) ?? [];
      if (!left || !right) return unsupported(update.expression);
      const attribute = placeholders.name(left);
      if (Object.hasOwn(key, attribute))
        throw new InvalidWrites(`${attribute} is part of the key and cannot be updated`);
      const operand = placeholders.value(right);
      next[attribute] = action === 'ADD' ? sum(item?.[attribute], operand, attribute) : operand;
    }
  }
  placeholders.assertNoneLeft();
  return next;
};

const clausesOf = (expression: string): readonly (readonly [string, string])[] => {
  const parts = expression.trim().split(/\b(SET|ADD|REMOVE|DELETE)\s+/i);
  const clauses: [string, string][] = [];
  if (parts[0] !== '' || parts.length < 3) return unsupported(expression);
  for (let i = 1; i < parts.length; i += 2) clauses.push([(parts[i] ?? '').toUpperCase(), (parts[i + 1] ?? '').trim()]);
  const actions = clauses.map(([action]) => action);
  if (new Set(actions).size !== actions.length) return unsupported(expression);
  if (actions.some((action) => action !== 'SET' && action !== 'ADD')) return unsupported(expression);
  return clauses;
};

const sum = (before: unknown, operand: unknown, attribute: string): number => {
  if (typeof operand !== 'number' || (before !== undefined && typeof before !== 'number')) {
    throw new InvalidWrites(`ADD takes numbers only here, and ${attribute} or its operand is none`);
  }
  return (before ?? 0) + operand;
};
