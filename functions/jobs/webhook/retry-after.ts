/**
 * Seconds of a Retry-After header (RFC 9110, 10.2.3): a number of seconds, or a date. Undefined for what is neither, and
 * for what is over already.
 */
export const retryAfterSeconds = (header: string | undefined, nowMs: number): number | undefined => {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) || undefined;
  // Date.parse would take much more, and read it in the time zone of this machine.
  if (!/^[A-Z][a-z]{2,8}, .* GMT$/.test(text)) return undefined;
  const seconds = Math.ceil((Date.parse(text) - nowMs) / 1000);
  return seconds > 0 ? seconds : undefined;
};
