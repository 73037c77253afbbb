import type { Browser } from 'playwright-core';
import { TestApi } from '../support/api';
import { launchChromium } from './chromium';
import { PublicProxy } from './public-proxy';
import { Complaints } from './visit';

describe('The documentation, in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  it.each(['', '/app'])('lets a reader authorize and run a call, below the path "%s"', async (prefix) => {
    const proxy = await PublicProxy.at(prefix);
    const api = await TestApi.start({ PUBLIC_URL: proxy.url });
    proxy.target = api.url;
    try {
      const owner = await api.owner({ name: 'Acme & Söhne' });
      const page = await browser.newPage();
      const complaints = await Complaints.of(page);
      await page.goto(`${proxy.url}/docs/`);
      await page.getByRole('button', { name: 'Authorize' }).click();
      const dialog = page.locator('.dialog-ux');
      await dialog.locator('input').fill(owner.key ?? '');
      await dialog.getByRole('button', { name: 'Apply credentials' }).click();
      await dialog.getByRole('button', { name: 'Close', exact: true }).click();

      await page.locator('#operations-tag-Organizations').click();
      const operation = page.locator('#operations-Organizations-organizationsList');
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      const live = operation.locator('.live-responses-table');
      await live.getByText('Acme & Söhne').waitFor();
      expect(await live.locator('.response-col_status').last().innerText()).toContain('200');
      expect(await operation.locator('.request-url').innerText()).toContain(
        `${proxy.url}/api/organizations/`,
      );
      expect(complaints.take()).toEqual([]);
      await page.close();
    } finally {
      await api.stop();
      await proxy.stop();
    }
  });
});
