import * as z from 'zod/mini';

/** `host`, for the scheme's own port, or `host:port`, or `host:*` for every port. Lower case, names in their ASCII form. */
const hostEntry = z
  .string()
  .check(
    z.regex(
      /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(?:\d{1,5}|\*))?$/,
      'must be a host, host:port or host:*, in lower case',
    ),
  );

/** What a stage lets `webhook.deliver` do. Nothing that is not said here is allowed. */
export const webhookSettings = z.strictObject({
  /** Where deliveries may go. Empty: nowhere. */
  hosts: z._default(z.array(hostEntry), []),
  /** Plain HTTP too, for receivers on one's own machine. */
  allowHttp: z._default(z.boolean(), false),
  /** Private, loopback and other addresses that are not public, for receivers on one's own machine. */
  allowPrivateAddresses: z._default(z.boolean(), false),
  /** SSM parameter (a SecureString) that holds the signing keys. Without it deliveries are not signed. */
  signingParameter: z.optional(z.string().check(z.minLength(1))),
});

export type WebhookSettings = z.infer<typeof webhookSettings>;
