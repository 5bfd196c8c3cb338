import { describe } from 'vitest';
import { describeHandlerWrites } from './handler-writes.ts';
import { describeDead } from './job-store-dead.ts';
import { describeFinish } from './job-store-finish.ts';
import { describeLists } from './job-store-lists.ts';
import { describeRecords } from './job-store-records.ts';
import { describeSave } from './job-store-save.ts';
import { describeStart } from './job-store-start.ts';
import type { StoreUnderTest } from './subjects.ts';

/** What every JobStore must do. `make` gives each test an empty store; `runs` bounds the property tests. */
export const describeJobStore = (name: string, make: () => Promise<StoreUnderTest>, runs: number): void => {
  describe(`${name} as a JobStore`, () => {
    describeRecords(make);
    describeStart(make, runs);
    describeSave(make, Math.ceil(runs / 5));
    describeFinish(make);
    describeHandlerWrites(make);
    describeDead(make);
    describeLists(make);
  });
};
