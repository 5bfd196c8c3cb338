import { describe, expect, it } from 'vitest';
import { pages, readPage } from '#test/support/docs/pages.ts';
import packageJson from '../../package.json' with { type: 'json' };

const scripts: Readonly<Record<string, string>> = packageJson.scripts;
const called = Object.keys(scripts).filter((name) => !(name.startsWith('pre') && name.slice(3) in scripts));

/** What a page tells to run: `npm run NAME`, `npm start`, `npm test`. */
const namedIn = (page: string): readonly string[] =>
  [...readPage(page).matchAll(/\bnpm (?:run ([a-z][a-z:]*)|(start|test)\b)/g)].map(([, run, own]) => run ?? own ?? '');

describe('the scripts of package.json', () => {
  it.each(pages)('%s names only such that are there', (page) => {
    expect(namedIn(page).filter((name) => !(name in scripts))).toEqual([]);
  });

  it('are named each in the README', () => {
    expect(called.filter((name) => !namedIn('README.md').includes(name))).toEqual([]);
  });

  it('install what they need before they begin', () => {
    // It changes files with what is installed already.
    const others = called.filter((name) => name !== 'format');
    expect(others.filter((name) => !scripts[`pre${name}`]?.startsWith('node localstack/bootstrap.mjs'))).toEqual([]);
  });
});
