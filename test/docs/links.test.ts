import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, linksOf, pages, readPage } from '#test/support/docs/pages.ts';
import { projectRoot } from '../../localstack/places.ts';

describe.each(pages)('%s', (page) => {
  it('links to pages, files and headings that are there', () => {
    const broken = linksOf(readPage(page)).filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(`${projectRoot}/${target}`)) return true;
      return anchor !== undefined && !anchorsOf(readPage(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

it('the README names every page of docs/', () => {
  const linked = linksOf(readPage('README.md'));
  expect(linked).toEqual(expect.arrayContaining(pages.filter((page) => page.startsWith('docs/'))));
});
