import type { HotLoad, HotRow } from './hot-account.ts';
import type { SlotLoad, SlotRow } from './slots.ts';

/** A bound on one figure of a row, stated before anything runs. */
interface Expectation<Row> {
  readonly what: string;
  /** `atMost` in words. */
  readonly says: string;
  readonly atMost: (row: Row) => number;
  readonly found: (row: Row) => number;
}

export interface Miss {
  readonly what: string;
  readonly atMost: number;
  readonly found: number;
}

/** Room for every writer, for one in four, and one slot for all: in the capacity of the local stage, and in production's. */
export const slotLoads: readonly SlotLoad[] = [
  { capacity: 100, room: 32, writers: 32, asksEach: 40 },
  { capacity: 100, room: 8, writers: 32, asksEach: 40 },
  { capacity: 100, room: 1, writers: 32, asksEach: 40 },
  { capacity: 1_000, room: 64, writers: 64, asksEach: 30 },
  { capacity: 1_000, room: 16, writers: 64, asksEach: 30 },
  { capacity: 1_000, room: 1, writers: 64, asksEach: 30 },
];

export const slotExpectations: readonly Expectation<SlotRow>[] = [
  {
    what: 'slots held beyond the bound',
    says: 'none',
    atMost: () => 0,
    found: (row) => Math.max(0, row.mostHeld - row.room),
  },
  { what: 'slots left behind', says: 'none', atMost: () => 0, found: (row) => row.leftBehind },
  { what: 'asks that failed', says: 'none', atMost: () => 0, found: (row) => row.failed },
  {
    what: 'part of the asks refused in error',
    says: 'at most 0.01',
    atMost: () => 0.01,
    found: (row) => row.inError / (row.writers * row.asksEach),
  },
  {
    what: 'calls per slot taken',
    // Fought over, a large registry is tried shard by shard, and looked at in between.
    says: 'at most 2 with room for every writer, else 8',
    atMost: (row) => (row.room >= row.writers ? 2 : 8),
    found: (row) => row.callsPerTaken,
  },
];

/** How long a transaction holds its items; DynamoDB answers most within 10 to 20 ms. */
const heldMs = 15;

/** One hot account: from one batch to as many consumers as production has; and one that others write to as well. */
export const hotLoads: readonly HotLoad[] = [
  { consumers: 1, jobs: 100, heldMs, foreign: 0 },
  { consumers: 4, jobs: 200, heldMs, foreign: 0 },
  { consumers: 4, jobs: 200, heldMs, foreign: 0.2 },
  { consumers: 16, jobs: 320, heldMs, foreign: 0 },
  { consumers: 50, jobs: 500, heldMs, foreign: 0 },
];

export const hotExpectations: readonly Expectation<HotRow>[] = [
  { what: 'jobs that died or did not end', says: 'none', atMost: () => 0, found: (row) => row.dead + row.unfinished },
  { what: 'starts beyond one a job', says: 'none', atMost: () => 0, found: (row) => row.starts - row.jobs },
  {
    what: 'effects missing or too many',
    says: 'none',
    atMost: () => 0,
    found: (row) => Math.abs(row.total - row.jobs) + Math.abs(row.writes - row.jobs),
  },
  { what: 'slots left behind', says: 'none', atMost: () => 0, found: (row) => row.slotsLeft },
  {
    what: 'transactions per job',
    // The ends of one batch do not meet each other; those of other processes do, and wait longer each time.
    says: 'at most 1 with one consumer, else 6',
    atMost: (row) => (row.consumers === 1 && row.foreign === 0 ? 1 : 6),
    found: (row) => row.transactions / row.jobs,
  },
];

export const missesOf = <Row>(expectations: readonly Expectation<Row>[], row: Row): readonly Miss[] =>
  expectations
    .map(({ what, atMost, found }) => ({ what, atMost: atMost(row), found: found(row) }))
    .filter(({ atMost, found }) => !(found <= atMost));
