import { createHash, randomBytes } from 'node:crypto';
import { test as base } from 'vitest';

/** Another one in each run, so that a run against a stack that was used before meets nothing of it. */
const runToken = randomBytes(4).toString('hex');

/** Keys and ledger accounts that belong to one test: they follow from its file, its name and the run. */
export interface Own {
  readonly key: (name?: string | number) => string;
  readonly account: (name?: string | number) => string;
}

const ownedBy = (file: string, test: string): Own => {
  const owner = createHash('sha256').update(`${runToken}\n${file}\n${test}`).digest('hex').slice(0, 16);
  return {
    key: (name = 'key') => `${owner}.${name}`,
    account: (name = 'account') => `${owner}-${name}`,
  };
};

/** vitest's `test`, with the names that the test owns as `own`. */
export const test = base.extend('own', ({ task }) => ownedBy(task.file.name, task.name));
