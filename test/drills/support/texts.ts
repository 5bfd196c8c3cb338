import type { Answer } from '../../../operator/client.ts';
import type { SeenJob } from './system.ts';

/** `7 in 1 write`, as expectations have it. */
export const effect = ({ total, writes }: { total: number; writes: number }): string =>
  `${total} in ${writes} write${writes === 1 ? '' : 's'}`;

export const reasonCode = ({ reason }: SeenJob): string | undefined =>
  typeof reason === 'object' ? reason.code : reason;

/** How a job ended: state, starts, and the reason if it has one. */
export const outcome = (job: SeenJob): string => {
  const reason = reasonCode(job);
  return `${job.state}${reason === undefined ? '' : ` (${reason})`}, starts ${job.starts}`;
};

export const events = (job: SeenJob): string => job.history.map((entry) => entry.event).join(' ');

/** Each value once with how often it came, in a fixed order: `202 × 5, 429 × 7`. */
export const tally = (values: readonly (string | number | undefined)[]): string =>
  [...Map.groupBy(values.map(String), (value) => value)]
    .map(([value, same]) => `${value} × ${same.length}`)
    .sort()
    .join(', ');

/** `503 unavailable, Retry-After 2`. */
export const refusal = ({ status, body, headers }: Answer<SeenJob>): string => {
  const after = headers.get('retry-after');
  return `${status} ${body.code ?? body.state}${after === null ? '' : `, Retry-After ${after}`}`;
};
