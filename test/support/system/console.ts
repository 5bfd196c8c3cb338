import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest';
import { Session } from '../../../operator/cli/session.ts';
import { findTarget } from '../../../operator/cli/target.ts';
import { terminalIo } from '../../../operator/cli/terminal-io.ts';
import { type RunningConsole, startConsole } from '../../../operator/console/server.ts';
import { type Browser, startChromium } from './chromium.ts';
import { outputs, reset } from './stack.ts';

/** How long the page may take to show what the API tells already: it asks every two seconds. */
const shownMs = 15_000;

/** The console of this run's stack and a browser to look at it, for the tests of one `describe`. */
export const consoleInBrowser = () => {
  let browser: Browser | undefined;
  let running: RunningConsole | undefined;

  beforeAll(async () => {
    await reset();
    const target = await findTarget({ apiUrl: outputs.apiUrl });
    const sdk = { ...target.sdk, credentials: async () => inject('callers').operator };
    const session = new Session(terminalIo(), { ...target, sdk }, { json: false });
    running = await startConsole({
      upstream: (method, path, body) => session.raw(method, path, body),
      about: { apiUrl: target.apiUrl, source: target.source, region: target.sdk.region },
      port: 0,
      report: (error) => console.error(error),
    });
    browser = await startChromium();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await running?.stop();
  });

  const address = (): string => running?.url ?? '';
  const origin = (): string => new URL(address()).origin;

  /** Another view, as by a link to it. */
  const show = async (page: Page, view: `#/${string}`): Promise<void> => {
    await page.goto(`${origin()}/${view}`);
  };

  /** A fresh tab on the console. A script that fails, or that the policy refuses, fails the test. */
  const open = async (view: `#/${string}` = '#/overview'): Promise<Page> => {
    if (browser === undefined) throw new Error('the browser has not been started');
    const page = await browser.context.newPage();
    page.setDefaultTimeout(shownMs);
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('dialog', (dialog) => wrong.push(`a script ran: ${dialog.message()}`));
    page.on('console', (line) => {
      if (/Content Security Policy|TrustedHTML/.test(line.text())) wrong.push(line.text());
    });
    onTestFinished(async () => {
      await page.close();
      expect(wrong).toEqual([]);
    });
    await page.goto(address());
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    if (view !== '#/overview') await show(page, view);
    return page;
  };

  return { open, show, origin };
};
