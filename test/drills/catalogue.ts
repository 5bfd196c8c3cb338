import { capacityReached } from './capacity-reached.ts';
import { dynamodbCut } from './dynamodb-cut.ts';
import { emulatorRestart } from './emulator-restart.ts';
import { illegalMessage } from './illegal-message.ts';
import { jobTimeout } from './job-timeout.ts';
import { lateLoser } from './late-loser.ts';
import { lostAcknowledgement } from './lost-acknowledgement.ts';
import { poisonInBatch } from './poison-in-batch.ts';
import { retryStorm } from './retry-storm.ts';
import { splitCheckAndWrite } from './split-check-and-write.ts';
import { sqsCut } from './sqs-cut.ts';
import type { Drill } from './support/drill.ts';
import { waitBudget } from './wait-budget.ts';
import { workerExits } from './worker-exits.ts';

/** Every drill, in the order in which a whole run conducts them: those that share an emulator stand together. */
export const catalogue: readonly Drill[] = [
  illegalMessage,
  capacityReached,
  waitBudget,
  retryStorm,
  splitCheckAndWrite,
  lostAcknowledgement,
  lateLoser,
  jobTimeout,
  workerExits,
  poisonInBatch,
  sqsCut,
  dynamodbCut,
  emulatorRestart,
];
