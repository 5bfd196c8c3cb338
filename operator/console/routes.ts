/** A call of the API that the page may make. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  /** The names that its query may have; any other is refused. */
  readonly query: readonly string[];
}

const paging = ['limit', 'cursor'];

/** All that the console passes on. Submitting is not among it: the console operates, it makes no jobs. */
export const routes: readonly Route[] = [
  { method: 'GET', path: /^\/operator\/status$/, query: [] },
  { method: 'GET', path: /^\/operator\/jobs$/, query: ['state', 'type', 'tenant', ...paging] },
  // `content` is the console's own: without it payload and result stay here.
  { method: 'GET', path: /^\/operator\/jobs\/[0-9a-f]{32}$/, query: ['content'] },
  { method: 'POST', path: /^\/operator\/jobs\/[0-9a-f]{32}\/cancel$/, query: [] },
  { method: 'GET', path: /^\/operator\/dead$/, query: ['reason', 'type', 'tenant', ...paging] },
  { method: 'POST', path: /^\/operator\/dead\/(redrive|discard)$/, query: [] },
  { method: 'POST', path: /^\/operator\/(intake|capacity|consumer)$/, query: [] },
];
