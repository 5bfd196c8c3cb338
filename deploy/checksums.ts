import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Failure } from '../operator/cli/exit.ts';

/**
 * SHA-256 of every file in a package but `SHA256SUMS`, as the lines that `sha256sum --check` reads, by their paths. Throws
 * `Failure` for a link: it would be deployed as what it leads to, which is not in the package.
 */
export const checksumsOf = (directory: string): string =>
  filesIn(directory)
    .map((file) => relative(directory, file))
    .filter((path) => path !== 'SHA256SUMS')
    .toSorted()
    .map(
      (path) =>
        `${createHash('sha256')
          .update(readFileSync(`${directory}/${path}`))
          .digest('hex')}  ${path}\n`,
    )
    .join('');

/** Level by level: Node's own recursive reading goes through links, out of the directory and round in circles. */
const filesIn = (directory: string): readonly string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(path);
    if (entry.isFile()) return [path];
    throw new Failure(`${path} is neither a file nor a directory, and a package has nothing else.`, 'Get it anew.');
  });
