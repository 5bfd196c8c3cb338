/*
 * The formulas that the simulation is checked against, and from which its search begins. Poisson arrivals, exponential
 * service, one job a server. Source: any textbook of queueing theory, as L. Kleinrock, "Queueing Systems", volume 1.
 */

/** `load` in Erlangs: arrivals a second × seconds of service. The share that `servers` without a queue would turn away. */
export const erlangB = (servers: number, load: number): number => {
  let blocked = 1;
  for (let n = 1; n <= servers; n += 1) blocked = (load * blocked) / (n + load * blocked);
  return blocked;
};

const waitingFrom = (blocked: number, servers: number, load: number): number =>
  load >= servers ? 1 : blocked / (1 - (load / servers) * (1 - blocked));

/** The share that has to wait before `servers` with an endless queue (M/M/c). */
export const erlangC = (servers: number, load: number): number => waitingFrom(erlangB(servers, load), servers, load);

/** The least servers with which at most `share` of the jobs waits longer than `waitSeconds` (M/M/c). */
export const serversFor = (load: number, serviceSeconds: number, waitSeconds: number, share: number): number => {
  let blocked = 1;
  for (let servers = 1; ; servers += 1) {
    blocked = (load * blocked) / (servers + load * blocked);
    if (servers <= load) continue;
    const waits = waitingFrom(blocked, servers, load);
    if (waits * Math.exp((-(servers - load) * waitSeconds) / serviceSeconds) <= share) return servers;
  }
};

export interface BoundedQueue {
  /** The share of the arrivals that is refused. */
  readonly refused: number;
  /** Of those that are let in. */
  readonly meanWaitSeconds: number;
  /** Of a server. */
  readonly utilisation: number;
}

/** M/M/c/K: `capacity` counts those that wait and those that are served. */
export const boundedQueue = (
  arrivalPerSecond: number,
  serviceSeconds: number,
  servers: number,
  capacity: number,
): BoundedQueue => {
  const load = arrivalPerSecond * serviceSeconds;
  const logs = [0];
  for (let n = 1; n <= capacity; n += 1) logs.push((logs[n - 1] ?? 0) + Math.log(load / Math.min(n, servers)));
  // The largest becomes 1, so that neither end overflows.
  const top = logs.reduce((most, log) => Math.max(most, log), Number.NEGATIVE_INFINITY);
  const weights = logs.map((log) => Math.exp(log - top));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const refused = (weights[capacity] ?? 0) / total;
  const waiting = weights.reduce((sum, weight, n) => sum + Math.max(0, n - servers) * weight, 0) / total;
  const letIn = arrivalPerSecond * (1 - refused);
  return { refused, meanWaitSeconds: waiting / letIn, utilisation: (letIn * serviceSeconds) / servers };
};
