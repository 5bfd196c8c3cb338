/** An ISO time to the second; undefined stays undefined. */
export const second = (iso: string | undefined): string | undefined => iso?.replace(/\.\d+Z$/, 'Z');

/** A duration in its two largest units. */
export const duration = (ms: number): string => {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return `${minutes} min ${seconds % 60} s`;
  return `${seconds} s`;
};

/** An ISO time with its distance from now. */
export const since = (iso: string | undefined, now: number): string | undefined => {
  if (iso === undefined) return undefined;
  const ms = now - Date.parse(iso);
  if (!Number.isFinite(ms)) return iso;
  return `${second(iso)} (${ms >= 0 ? `${duration(ms)} ago` : `in ${duration(ms)}`})`;
};
