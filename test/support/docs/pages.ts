import { globSync, readFileSync } from 'node:fs';
import { projectRoot } from '../../../localstack/places.ts';

/** All pages of the project, by their paths from its root. */
export const pages: readonly string[] = globSync(['*.md', '{docs,bench,examples,deploy}/**/*.md'], {
  cwd: projectRoot,
}).toSorted();

export const readPage = (page: string): string => readFileSync(`${projectRoot}/${page}`, 'utf8');

/** Blocks of code have no links and no headings. */
const proseOf = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```$/gm, '');

/** Where a page's links lead, those to other sites left out. */
export const linksOf = (markdown: string): readonly string[] =>
  [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => (link.includes('://') ? [] : [link]));

/** As GitHub makes it from a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

export const anchorsOf = (markdown: string): readonly string[] =>
  [...proseOf(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
