/** How an attempt ended: a closed union, mapped to a state by `transition` alone. */
export type Outcome =
  | { readonly kind: 'done'; readonly result: string; readonly external: boolean }
  | { readonly kind: 'retry'; readonly code: RetryCode; readonly message: string; readonly burnsAttempt: boolean }
  | { readonly kind: 'fail'; readonly code: 'permanent-error' | 'request-unreadable'; readonly message: string }
  | { readonly kind: 'cancelled' };

type RetryCode = 'retryable-error' | 'timeout' | 'finish-contended';
