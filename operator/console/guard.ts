import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ConsoleProblem } from './answer.ts';

/** Carries the token of this start. A header of its own can be set by no form, and by another site's script only after a preflight that fails. */
const tokenHeader = 'x-sluice-token';

interface Guarded {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Another site may have its own name resolve to this machine, and then its page speaks to this port as if it were its own
 * (DNS rebinding). The browser still sends that name as the host, so only our own address is let in.
 */
export const refuseHost = ({ headers }: Guarded, authority: string): ConsoleProblem | undefined =>
  headers.host === authority
    ? undefined
    : { status: 421, code: 'wrong-host', detail: `This console is only to be reached as http://${authority}.` };

/**
 * Who may call the API through this console: the page that it served itself, by the token of this start. `origin` is
 * what a browser sends for that page. It leaves the header out of same-origin reads, never out of a POST.
 */
export const refuseCaller = (
  { method, headers }: Guarded,
  origin: string,
  token: string,
): ConsoleProblem | undefined => {
  const isForeign = headers.origin === undefined ? method !== 'GET' : headers.origin !== origin;
  const site = headers['sec-fetch-site'];
  if (isForeign || (site !== undefined && site !== 'same-origin')) {
    return { status: 403, code: 'wrong-origin', detail: "The call does not come from this console's own page." };
  }
  if (!isSame(headers[tokenHeader], token)) {
    return {
      status: 401,
      code: 'wrong-token',
      detail: 'The token of this start is missing or of another start. Open the address that sluice console printed.',
    };
  }
  return undefined;
};

/** Compares digests, which have one length, in a time that tells nothing. */
const isSame = (given: string | readonly string[] | undefined, token: string): boolean =>
  typeof given === 'string' && timingSafeEqual(digest(given), digest(token));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
