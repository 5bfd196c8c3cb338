import { defineJob } from 'sluice/functions';
import * as z from 'zod/mini';

const name = z.string().check(z.regex(/^[A-Za-z0-9-]{1,40}$/, 'must be 1 to 40 characters of A-Z a-z 0-9 -'));

/**
 * Takes pieces out of stock and adds them to an order's reservation: both or neither, and once a job. Where too few are
 * left the condition fails, and the job is dead, for a person to decide.
 */
export const reserveStock = defineJob({
  type: 'stock.reserve',
  payload: z.strictObject({ order: name, article: name, pieces: z.int().check(z.positive()) }),
  timeoutSeconds: 5,
  run: ({ payload: { order, article, pieces } }) => ({
    writes: [
      {
        table: 'stock',
        key: { article },
        kind: 'update',
        update: {
          expression: 'ADD #free :less',
          names: { '#free': 'free' },
          values: { ':less': -pieces },
        },
        condition: { expression: '#free >= :pieces', names: { '#free': 'free' }, values: { ':pieces': pieces } },
      },
      {
        table: 'reservations',
        key: { order, article },
        kind: 'update',
        update: { expression: 'ADD #pieces :pieces', names: { '#pieces': 'pieces' }, values: { ':pieces': pieces } },
      },
    ],
    result: { reserved: pieces },
  }),
});
