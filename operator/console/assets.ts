import { readFileSync } from 'node:fs';

export interface Asset {
  readonly contentType: string;
  readonly body: Buffer;
}

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** Everything that is served, by the names under which it lies in page/. */
const names = [
  'index.html',
  'icon.svg',
  'base.css',
  'parts.css',
  'views.css',
  'deeds.css',
  'app.js',
  'api.js',
  'bulk.js',
  'bulk-dialog.js',
  'controls.js',
  'dead.js',
  'dead-list.js',
  'dialog.js',
  'dom.js',
  'filters.js',
  'format.js',
  'gauges.js',
  'job.js',
  'jobs.js',
  'overview.js',
  'plot.js',
  'poll.js',
  'problem.js',
  'rates.js',
  'timeline.js',
] as const;

/**
 * The page, read once: a path of a request is looked up among these and never becomes the path of a file, so no spelling
 * of it reaches anything else.
 */
export const readAssets = (): ReadonlyMap<string, Asset> =>
  new Map(
    names.map((name) => {
      const extension = name.slice(name.lastIndexOf('.') + 1) as keyof typeof types;
      const body = readFileSync(new URL(`page/${name}`, import.meta.url));
      return [name === 'index.html' ? '/' : `/${name}`, { contentType: types[extension], body }];
    }),
  );
