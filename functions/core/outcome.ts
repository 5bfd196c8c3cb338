/** How an attempt ended: a closed union, mapped to a state by `transition` alone. */
export type Outcome =
  | { readonly kind: 'done'; readonly result: string; readonly external: boolean }
  | {
      readonly kind: 'retry';
      readonly code: RetryCode;
      readonly message: string;
      readonly burnsAttempt: boolean;
      /** What the other side asked for, by a Retry-After say: the wait is at least this. */
      readonly afterSeconds?: number | undefined;
    }
  | { readonly kind: 'fail'; readonly code: 'permanent-error' | 'request-unreadable'; readonly message: string }
  | { readonly kind: 'cancelled' };

type RetryCode = 'retryable-error' | 'timeout' | 'finish-contended' | 'store-unavailable';
