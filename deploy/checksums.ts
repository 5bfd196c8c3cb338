import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** SHA-256 of every file in a package but `SHA256SUMS`, as the lines that `sha256sum --check` reads, by their paths. */
export const checksumsOf = (directory: string): string =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, `${entry.parentPath}/${entry.name}`))
    .filter((path) => path !== 'SHA256SUMS')
    .toSorted()
    .map(
      (path) =>
        `${createHash('sha256')
          .update(readFileSync(`${directory}/${path}`))
          .digest('hex')}  ${path}\n`,
    )
    .join('');
