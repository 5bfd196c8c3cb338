import type { Job } from '#core/job.ts';
import type { DeadEntry, DeadFilter, DeadPage, DeadQuery, Stray } from '#functions/ports.ts';

export type DeadJobOf = Job & { state: 'dead' };

interface Place {
  readonly at: number;
  readonly id: string;
}
type Found = { readonly place: Place; readonly entry: DeadEntry };

/** A page of the dead. The order is total, by time and then id, so that no page skips or repeats one of equal times. */
export const deadPage = (jobs: readonly DeadJobOf[], strays: readonly Stray[], query: DeadQuery): DeadPage => {
  if (!Number.isInteger(query.limit) || query.limit < 1) throw new RangeError('a page has at least one entry');
  const after = query.after === undefined ? undefined : placeOf(query.after);
  const sign = query.order === 'newest-first' ? -1 : 1;
  const found = [...jobs.map(foundJob), ...(query.strays ? strays : []).map(foundStray)]
    .filter(({ place, entry }) => isWithin(place, query.filter) && matches(entry, query.filter))
    .filter(({ place }) => after === undefined || sign * compare(place, after) > 0)
    .sort((a, b) => sign * compare(a.place, b.place));
  const entries = found.slice(0, query.limit).map(({ entry }) => entry);
  const last = entries.at(-1);
  return found.length > entries.length && last ? { entries, next: last.position } : { entries };
};

const foundJob = (job: DeadJobOf): Found => {
  const place = { at: job.diedAt, id: job.id };
  return { place, entry: { kind: 'job', position: positionOf(place), job } };
};

const foundStray = (stray: Stray): Found => {
  const place = { at: stray.receivedAt, id: stray.id };
  return { place, entry: { kind: 'stray', position: positionOf(place), stray } };
};

const positionOf = ({ at, id }: Place): string => `${at}/${id}`;

const placeOf = (position: string): Place => {
  const [, at, id] = /^(\d+)\/(.+)$/.exec(position) ?? [];
  if (!at || !id) throw new TypeError('not a position of this index');
  return { at: Number(at), id };
};

const compare = (a: Place, b: Place): number => a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const isWithin = ({ at }: Place, { before, after }: DeadFilter): boolean =>
  (before === undefined || at < before) && (after === undefined || at >= after);

/** A stray has neither type nor tenant, so a filter that names one of them finds no strays. */
const matches = (entry: DeadEntry, filter: DeadFilter): boolean => {
  const seen =
    entry.kind === 'job'
      ? { reason: entry.job.reason.code, type: entry.job.type, tenant: entry.job.scope }
      : { reason: entry.stray.reason, type: undefined, tenant: undefined };
  return (
    (filter.reason === undefined || filter.reason === seen.reason) &&
    (filter.type === undefined || filter.type === seen.type) &&
    (filter.tenant === undefined || filter.tenant === seen.tenant)
  );
};
