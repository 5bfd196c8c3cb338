/** A schema object of OpenAPI 3.0, as far as this document uses them. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly (string | number | boolean)[];
  readonly [keyword: string]: unknown;
}

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
export const words = (description: string, all: readonly string[]): Schema => text(description, { enum: all });
export const time = (description: string): Schema => text(`${description} ISO 8601, UTC.`, { format: 'date-time' });
export const count = (description: string, more: Schema = {}): Schema => ({
  type: 'integer',
  description,
  minimum: 0,
  ...more,
});
/** Members that are true or absent. */
export const mark = (description: string): Schema => ({ type: 'boolean', enum: [true], description });
export const list = (items: Schema, description: string, more: Schema = {}): Schema => ({
  type: 'array',
  description,
  items,
  ...more,
});

/** Answers may get more members with time, so nothing says that there are no others. */
export const object = (
  description: string,
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

/** All members of a union of texts; the compiler refuses it when one is missing or unknown. */
export const allOf = <T extends string>(all: Readonly<Record<T, true>>): readonly T[] => Object.keys(all) as T[];
