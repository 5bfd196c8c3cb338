import { describe, expect, onTestFinished } from 'vitest';
import { noBrowser } from '#test/support/system/chromium.ts';
import { consoleInBrowser } from '#test/support/system/console.ts';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import {
  api,
  jobIn,
  outputs,
  pauseConsumer,
  reconcile,
  resumeConsumer,
  stageCapacity,
} from '#test/support/system/stack.ts';

const title = noBrowser === undefined ? 'the console in a browser' : `the console in a browser (skipped: ${noBrowser})`;

// The name of what is skipped shows only where tests are listed one by one.
if (noBrowser !== undefined) console.warn(`The tests of the console in a browser are skipped: ${noBrowser}`);

describe.skipIf(noBrowser !== undefined)(title, () => {
  const { open, show, origin } = consoleInBrowser();

  const deadJob = async (key: string, account: string): Promise<string> => {
    const { body } = await api.submit(key, 'test.scripted', { account, amount: 1, permanent: true });
    await jobIn(body.id, 'dead');
    return body.id;
  };

  test('shows how it stands, takes the token out of the address, and keeps it for a reload', async () => {
    const page = await open();
    await page.getByRole('meter', { name: 'Slots taken' }).waitFor();
    await expect.poll(() => page.getByRole('article', { name: 'Consumer' }).textContent()).toContain('running');
    await expect.poll(() => page.getByRole('banner').textContent()).toContain(outputs.apiUrl);
    expect(page.url()).not.toContain('token');
    await page.reload();
    await expect.poll(() => page.getByRole('article', { name: 'Intake' }).textContent()).toContain('open');
    const answer = await page.goto(`${origin()}/api/operator/status`);
    expect(answer?.status()).toBe(403);
  });

  test('shows a job change its state, with its history; the payload only on demand', async ({ own }) => {
    await pauseConsumer();
    const { body } = await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 7 });
    const page = await open('#/jobs');
    await page.getByLabel('State').selectOption('queued');
    await page.getByRole('link', { name: body.id.slice(0, 12) }).click();
    const facts = page.getByRole('region', { name: 'Facts' });
    await facts.getByText('queued', { exact: true }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    expect(await page.locator('main').textContent()).not.toContain(own.account());

    await resumeConsumer();
    await jobIn(body.id, 'succeeded');
    await facts.getByText('succeeded', { exact: true }).waitFor();
    await expect.poll(() => page.locator('#announce').textContent()).toBe('The job is succeeded.');
    const events = await page
      .getByRole('region', { name: 'History' })
      .getByRole('listitem')
      .locator('strong')
      .allTextContents();
    expect(events).toEqual(['accepted', 'started', 'succeeded']);

    await page.getByRole('button', { name: 'Show payload and result' }).click();
    await page.getByText(own.account()).waitFor();
    await page.getByRole('button', { name: 'Hide payload and result' }).click();
    await expect.poll(() => page.locator('main').textContent()).not.toContain(own.account());
  });

  test('redrives one dead job by the keyboard alone: select, dry run, confirm', async ({ own }) => {
    const id = await deadJob(own.key(), own.account());
    const other = await deadJob(own.key('other'), own.account());
    const page = await open('#/dead');
    const box = page.getByRole('checkbox', { name: `Select ${id}` });
    await eventually(async () => {
      await page.getByRole('button', { name: 'List again' }).click();
      await box.waitFor({ timeout: 1_000 });
    });
    await box.focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Redrive…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Redrive 1 entry' });
    await dialog.getByRole('button', { name: 'Dry run' }).focus();
    expect(await dialog.getByRole('button', { name: 'Redrive', exact: true }).isDisabled()).toBe(true);
    await page.keyboard.press('Enter');
    await dialog.getByText('Dry run: 1 would be redriven, 0 skipped.').waitFor();
    expect((await api.job(id)).body).toMatchObject({ state: 'dead', redrives: 0 });
    // The focus is on the button that does it.
    await page.keyboard.press('Enter');
    await dialog.getByText('Done: 1 redriven, 0 skipped.').waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(async () => (await api.job(id)).body.redrives).toBe(1);
    expect((await api.job(other)).body.redrives).toBe(0);
    await jobIn(id, 'dead');
  });

  test('drains and opens again, and shows how far it is', async ({ own }) => {
    onTestFinished(async () => void (await api.call('POST', '/operator/intake', { state: 'open' })));
    await pauseConsumer();
    const { body } = await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 });
    const page = await open();
    const intake = page.getByRole('article', { name: 'Intake' });
    await intake.getByRole('button', { name: 'Drain…' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await api.status()).body.intake).toBe('open');

    await intake.getByRole('button', { name: 'Drain…' }).click();
    await page.getByRole('dialog', { name: 'Drain?' }).getByRole('button', { name: 'Drain' }).click();
    await intake.getByText('1 job left; it cannot end while the consumer is paused').waitFor();
    await intake.getByRole('progressbar', { name: 'Drained' }).waitFor();
    await page.getByRole('article', { name: 'Consumer' }).getByRole('button', { name: 'Resume' }).click();
    await jobIn(body.id, 'succeeded');
    await eventually(async () => {
      await reconcile();
      expect((await api.status()).body.intake).toBe('drained');
    });
    await intake.getByText('Nothing is in flight; submissions are refused').waitFor();
    await intake.getByRole('button', { name: 'Open' }).click();
    await intake.getByText('Jobs are taken in').waitFor();
    expect((await api.status()).body.intake).toBe('open');
  });

  test('sets the capacity, and shows the meter by it', async () => {
    onTestFinished(async () => void (await api.setCapacity(stageCapacity)));
    const page = await open();
    const capacity = page.getByRole('article', { name: 'Capacity' });
    await capacity.getByText(String(stageCapacity), { exact: true }).waitFor();
    await capacity.getByLabel('New capacity').fill('40');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Set 40' }).click();
    await expect.poll(() => page.getByRole('meter').getAttribute('aria-valuemax')).toBe('40');
    expect((await api.status()).body.capacity).toBe(40);
  });

  test('shows an error of the API well: what, why, which field', async () => {
    const page = await open('#/jobs');
    // The field itself would not take more than the API does.
    await page.evaluate('for (const input of document.querySelectorAll("input")) input.maxLength = 1000');
    await page.getByLabel('Type').fill('x'.repeat(300));
    await page.getByRole('button', { name: 'Filter' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    const text = await alert.textContent();
    for (const said of ['Bad Request', '400 invalid-request', 'query/type is too long', 'Request id'])
      expect(text).toContain(said);
    await page.getByLabel('Type').fill('');
    await page.getByRole('button', { name: 'Filter' }).click();
    await alert.waitFor({ state: 'detached' });

    await show(page, `#/jobs/${'0'.repeat(32)}`);
    await page.getByRole('alert').getByText('404 job-not-found').waitFor();
  });

  test('markup and control characters in the fields of a job are only text', async ({ own }) => {
    const evil = `<img src=x onerror=alert(1)><script>alert(2)</script>\u202e${own.key()}`;
    const marked = (body: object) => ({
      contentType: 'application/json',
      body: JSON.stringify(body),
    });
    const job = {
      ...{
        id: 'f'.repeat(32),
        type: evil,
        key: evil,
        state: evil,
        attempt: 1,
        attemptsMax: 3,
        starts: 1,
        tenant: evil,
      },
      ...{
        submittedAt: evil,
        updatedAt: evil,
        nextAttemptAt: evil,
        redrives: 0,
        reason: { code: evil, message: evil },
      },
      ...{ payload: { [evil]: evil }, history: [{ at: evil, event: evil, detail: { [evil]: evil } }] },
    };
    const stray = { id: evil, stray: true, reason: evil, receivedAt: evil };
    const page = await open();
    // The API would refuse most of it, so it is put in its place between console and page.
    await page.route('**/api/operator/jobs**', (route) => route.fulfill(marked({ jobs: [job] })));
    await page.route('**/api/operator/jobs/*', (route) => route.fulfill(marked(job)));
    await page.route('**/api/operator/dead**', (route) => route.fulfill(marked({ jobs: [job, stray] })));
    const shown = '<img src=x onerror=alert(1)><script>alert(2)</script>\\u{202e}';
    for (const view of ['#/jobs', `#/jobs/${job.id}`, '#/dead'] as const) {
      await show(page, view);
      await expect.poll(() => page.locator('main').textContent()).toContain(shown);
    }
    await show(page, `#/jobs/${job.id}`);
    await page.getByRole('button', { name: 'Show payload and result' }).click();
    await expect.poll(() => page.locator('pre').textContent()).toContain(shown);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.locator('main').textContent()).not.toContain('\u202e');
  });

  test('says so when the console has ended, and the page stays as it was', async () => {
    const page = await open();
    await page.getByRole('article', { name: 'Intake' }).getByText('Jobs are taken in').waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await page.getByRole('alert').getByText('Start it again with sluice console').waitFor();
    expect(await page.getByRole('article', { name: 'Intake' }).textContent()).toContain('open');
    await page.unroute('**/api/**');
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});
