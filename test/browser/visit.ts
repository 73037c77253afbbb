import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** What a browser complained of: errors on its console, breaches of the content security policy, failed scripts. */
export class Complaints {
  private readonly all: string[] = [];

  private constructor() {}

  static async of(page: Page): Promise<Complaints> {
    const complaints = new Complaints();
    page.on('console', (message) => {
      // The browser tells so of every page with a status of 400 or more, as those about used invites have by design.
      const isStatus = /^Failed to load resource: the server responded with a status of 4\d\d/.test(
        message.text(),
      );
      const isPage = message.location().url === page.url();
      if (['error', 'warning'].includes(message.type()) && !(isStatus && isPage)) {
        complaints.all.push(`${message.type()}: ${message.text()} (${message.location().url})`);
      }
    });
    page.on('pageerror', (error) => complaints.all.push(`error: ${error.message}`));
    page.on('requestfailed', (request) => complaints.all.push(`failed: ${request.url()}`));
    return complaints;
  }

  /** Those since the last time. */
  take(): string[] {
    return this.all.splice(0);
  }
}

/** What keeps people from using the page: each rule of WCAG 2.2 A and AA, and of good practice, that it breaks. */
export async function barriersOn(page: Page): Promise<string[]> {
  // By the debugger, which the page's policy does not bind.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
}
