/**
 * A write that a handler returns instead of performing: it is committed in one transaction with the job's completion, or
 * not at all. Tables are named logically and resolved by configuration, so that a handler can never name the job table.
 * Keys and values are plain JavaScript values, marshalled as `@aws-sdk/util-dynamodb` does.
 */
export type JobWrite = {
  readonly table: string;
  readonly key: Readonly<Record<string, string | number>>;
  /** A failed condition makes the job dead unless it is marked as something that may pass. */
  readonly condition?: WriteExpression;
  readonly retryable?: boolean;
} & (
  | { readonly kind: 'put'; readonly item: Readonly<Record<string, unknown>> }
  | { readonly kind: 'update'; readonly update: WriteExpression }
  | { readonly kind: 'delete' }
  | { readonly kind: 'check' }
);

/** Which item a write is on, as a text that is the same whatever the order in which its key is written. */
export const itemOf = ({ table, key }: Pick<JobWrite, 'table' | 'key'>): string =>
  JSON.stringify([table, Object.entries(key).sort()]);

/** A DynamoDB expression with the names and values that it uses. */
export interface WriteExpression {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}
