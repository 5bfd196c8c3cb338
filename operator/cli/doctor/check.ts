/** One thing that was looked at. `unseen`: nothing can be said from here. */
export interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warn' | 'fail' | 'unseen';
  readonly detail: string;
  readonly fix?: string;
}

export const ok = (name: string, detail: string): Check => ({ name, result: 'ok', detail });
export const warn = (name: string, detail: string, fix: string): Check => ({ name, result: 'warn', detail, fix });
export const fail = (name: string, detail: string, fix: string): Check => ({ name, result: 'fail', detail, fix });
export const unseen = (name: string, detail: string): Check => ({ name, result: 'unseen', detail });
