import { type Limits, productionLimits } from '#core/limits.ts';
import type { Workload } from '../../../operator/plan/workload.ts';

/** One job a call, one job a server, nothing beside the handler: what the formulas speak of. */
export const plainWorkload = (over: Partial<Workload> = {}): Workload => ({
  arrivalPerSecond: 10,
  bulk: 1,
  serviceSeconds: 0.5,
  distribution: 'exponential',
  spread: 1,
  failShare: 0,
  overheadSeconds: 0,
  apiSeconds: 0,
  ...over,
});

/** No view is ever remembered, so that nothing is refused but by the slots; and no service is cut off. */
export const plainLimits = (over: Partial<Limits> = {}): Limits => ({
  ...productionLimits,
  viewMaxAgeSeconds: 0,
  batchSize: 1,
  jobTimeoutSeconds: 1e9,
  ...over,
});
