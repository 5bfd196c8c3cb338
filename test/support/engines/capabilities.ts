/** What AWS does, that some tests need of an engine, and how a person is told that one does not do it. */
export const capabilities = {
  'parallel-batches': 'this engine hands a function one batch at a time, and the next when it has ended',
  'receipts-expire': 'on this engine the receipt of an earlier receive still moves the message',
  'gateway-templates':
    'this engine answers a request that the gateway refuses without the body that the stack gives it',
  'odd-http': 'this engine answers a request of an odd form itself, before the API of the stack',
  'log-filters': 'this engine returns every line of a log, whatever is asked for',
  'alarms-at-once': 'this engine looks at an alarm once in its period only',
  dashboards: 'this engine deploys no dashboard',
} as const;

export type Capability = keyof typeof capabilities;

/** True for what the engine of this run has not. */
export type Lacking = Readonly<Partial<Record<Capability, true>>>;
