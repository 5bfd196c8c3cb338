import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';

const named = process.env['CHROMIUM'];
/** Where Debian and Ubuntu put it, unless one is named. */
const candidates = named ? [named] : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const chromiumPath = candidates.find((path) => existsSync(path));

/** Why the tests that need a browser cannot run here, for the name under which they are skipped; undefined where they can. */
export const noBrowser =
  chromiumPath === undefined
    ? 'no Chromium is at hand. apt-get install chromium, or name one: CHROMIUM=/path/to/it'
    : undefined;

/** As little of it as can be: no network of its own, no first-run page, nothing that goes on in the background. */
const args = [
  '--no-sandbox',
  '--headless',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Browser {
  readonly context: BrowserContext;
  readonly close: () => Promise<void>;
}

/** A browser with a profile of its own, which goes with it. */
export const startChromium = async (): Promise<Browser> => {
  if (chromiumPath === undefined) throw new Error(noBrowser);
  const { chromium } = await import('playwright-core');
  const profile = mkdtempSync(join(tmpdir(), 'sluice-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath,
    args,
    viewport: { width: 1280, height: 900 },
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
};
