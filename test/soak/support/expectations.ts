import { judgedSecondsMin } from './memory.ts';

/** What a soak checks, each with what it expects; said before anything runs. */
export const checks = ['answers', 'bound', 'rest', 'slots', 'jobs', 'table', 'memory'] as const;
export type Check = (typeof checks)[number];

/** A process may still compile and cache this much; a leak goes on. */
export const growthMbMax = 10;
export const restSecondsMax = 180;
/** Jobs that wait in a paused queue while registry and records are compared. */
export const waitingJobs = 20;

/** The part of the load's time in which processes may be ended, and the one from which on memory is judged. */
export const endingPart = 0.4;
export const judgedPart = 0.7;
/** The shortest load, in minutes, after which growth is judged. */
export const judgedMinutesMin = Math.ceil(judgedSecondsMin / (1 - judgedPart) / 60);

export const expectations = (seconds: number): Readonly<Record<Check, string>> => ({
  answers: 'every submission and cancel is answered as the contract says: no 5xx but 503',
  bound: 'never more jobs in flight than the capacity at its highest',
  rest: `${restSecondsMax} s after the load nothing is in flight and the queue is empty, and again after a redrive`,
  slots: `with ${waitingJobs} jobs waiting in a paused queue the registry holds their tokens and no other; at the end none`,
  jobs: 'every accepted job is there under its key and has ended as its kind says, with one effect or none',
  table: 'no record half written, no payload or slot left behind',
  memory:
    (1 - judgedPart) * seconds < judgedSecondsMin
      ? 'no process above the memory of its function (too short to judge growth)'
      : `no process above the memory of its function; from ${Math.round(judgedPart * seconds)} s on none that lives to the end grows by more than ${growthMbMax} MB`,
});
