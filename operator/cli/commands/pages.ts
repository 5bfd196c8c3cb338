import { bounds } from '#core/limits.ts';
import { type ExitCode, exit } from '../exit.ts';
import type { Session, Told } from '../session.ts';

interface Page<Entry> {
  readonly jobs: readonly Entry[];
  readonly cursor?: string | undefined;
}

/** A list that is asked for page by page, and shown as one. */
export interface PagedList<Entry> {
  readonly page: (limit: number, cursor: string | undefined) => Promise<Told<Page<Entry>>>;
  readonly lines: (entries: readonly Entry[]) => readonly string[];
  /** What is said where there is nothing. */
  readonly none: string;
}

/**
 * Asks until `limit` entries are there or the list ends; a page may be short and still not be the last. As JSON each
 * page goes out as it comes.
 */
export const listPages = async <Entry>(
  session: Session,
  { limit, cursor: from }: { readonly limit: number; readonly cursor?: string },
  list: PagedList<Entry>,
): Promise<ExitCode> => {
  const entries: Entry[] = [];
  let cursor = from;
  do {
    const answer = await list.page(Math.min(bounds.pageLimitMax, limit - entries.length), cursor);
    if (session.json) session.showText(answer.text);
    entries.push(...answer.body.jobs);
    cursor = answer.body.cursor;
  } while (cursor !== undefined && entries.length < limit);
  if (entries.length === 0) session.io.note(list.none);
  else if (!session.json) for (const line of list.lines(entries)) session.io.out(line);
  if (cursor !== undefined) session.io.note(`There may be more: --limit, or --cursor ${cursor}`);
  return exit.done;
};
