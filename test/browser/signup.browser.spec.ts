import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { Mails } from '../../src/shared/mail/mails';
import { type Person, TestApi } from '../support/api';
import { until } from '../support/server-process';
import { MailCatcher, wordsOf } from '../support/smtp-server';
import { launchChromium } from './chromium';
import { PublicProxy } from './public-proxy';
import { barriersOn, Complaints } from './visit';

describe('The page behind the link of an invite, in Chromium', () => {
  const catcher = new MailCatcher();
  let proxy: PublicProxy;
  let api: TestApi;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: Complaints;
  let owner: Person;
  let email: string;
  let people = 0;

  beforeAll(async () => {
    [proxy, browser] = await Promise.all([PublicProxy.at('/app'), launchChromium(), catcher.start()]);
    api = await TestApi.start({ ROLE: 'all', SMTP_URL: catcher.url, PUBLIC_URL: proxy.url });
    proxy.target = api.url;
  });
  afterAll(async () => {
    await browser?.close();
    await proxy?.stop();
    await api?.stop();
    await catcher.stop();
  });

  beforeEach(async () => {
    owner = await api.owner({ name: 'Acme & Söhne' });
    people += 1;
    email = `grace-${people}@example.com`;
    await open({ permissions: ['clipboard-read', 'clipboard-write'] });
  });
  afterEach(async () => {
    api.clock.reset();
    await context.close();
  });

  async function open(options: BrowserContextOptions): Promise<void> {
    await context?.close();
    context = await browser.newContext(options);
    page = await context.newPage();
    complaints = await Complaints.of(page);
  }

  /** Makes an invite, and answers the link that arrives at its address. */
  async function mailed(body: object = {}): Promise<string> {
    const answer = await owner.post(owner.path('invites/'), { target_email: email, ...body });
    expect(answer.body.emailing_attempt_made).toBe(true);
    await api.app.get(Mails).tick();
    const to = (answer.body.target_email as string) ?? '';
    const mine = () =>
      catcher.mails.filter((mail) => mail.to.includes(to) && wordsOf(mail).includes('/signup/'));
    const before = sent.get(to) ?? 0;
    await until(() => mine().length > before);
    sent.set(to, before + 1);
    return /http:\S+\/signup\/\w+\//.exec(wordsOf(mine()[before] as never))?.[0] ?? '';
  }
  const sent = new Map<string, number>();

  /** Waits for it: a page that is loaded gives the focus to `autofocus` a moment later. */
  const focusOn = (what: string) =>
    page.waitForFunction(
      `(document.activeElement.id || document.activeElement.textContent) === ${JSON.stringify(what)}`,
    );
  const clipboard = () => page.evaluate('navigator.clipboard.readText()');
  const heading = () => page.getByRole('heading', { level: 1 }).innerText();

  it('leads from the mail to a key that works, by keyboard alone', async () => {
    const link = await mailed({ first_name: 'Grace', message: 'Come in!' });
    expect((await page.goto(link))?.status()).toBe(200);
    expect(await page.title()).toBe('Join Acme & Söhne - Hedgerow');
    expect(await heading()).toBe('Join Acme & Söhne');
    expect(await page.locator('main').innerText()).toContain(`Olive Owner (${owner.user.email}) invites you`);
    expect(await page.getByLabel('First name').inputValue()).toBe('Grace');

    await page.keyboard.press('Tab');
    await focusOn('first_name');
    await page.keyboard.press('Tab');
    await focusOn('last_name');
    await page.keyboard.type('Hopper');
    await page.keyboard.press('Tab');
    await focusOn('Accept the invitation');
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);

    expect(await heading()).toBe('Welcome to Acme & Söhne');
    const key = await page.getByLabel('Your personal API key').inputValue();
    await page.keyboard.press('Tab');
    await focusOn('key');
    await page.keyboard.press('Tab');
    await focusOn('Copy the key');
    expect(await page.getByRole('status').innerText()).toBe('');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Copied.').waitFor();
    expect(await clipboard()).toBe(key);
    expect(complaints.take()).toEqual([]);

    const me = await api.anyone(key).get('/api/users/@me/');
    expect(me.body).toMatchObject({
      email,
      first_name: 'Grace',
      last_name: 'Hopper',
      is_email_verified: true,
    });
    const curl = await page.locator('pre').innerText();
    const [, url = ''] = /(http:\S+)$/.exec(curl) ?? [];
    expect((await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(200);
    const docs = page.getByRole('link', { name: 'documentation' });
    expect(await docs.getAttribute('href')).toBe(`${proxy.url}/docs/`);

    // Shown this once: neither a reload nor the way back brings it again.
    await page.goto(link);
    expect(await heading()).toBe('This invitation has been used');
    await page.goBack();
    expect(await page.content()).not.toContain(key);
  });

  it('brings the reader to what is wrong', async () => {
    await page.goto(await mailed());
    await page.getByLabel('First name').fill('   ');
    await page.getByLabel('Last name').fill('Hopper');
    await page.getByRole('button').click();
    await focusOn('first_name');
    const field = page.getByRole('textbox', { name: 'First name' });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const problem = await field.getAttribute('aria-describedby');
    expect(await page.locator(`#${problem}`).innerText()).toBe('Tell us your first name.');
    expect(await page.getByLabel('Last name').inputValue()).toBe('Hopper');
    expect(await barriersOn(page)).toEqual([]);
    await page.keyboard.type('Grace');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    expect(complaints.take()).toEqual([]);
  });

  it('copies where the browser offers no clipboard, or says how to', async () => {
    await page.addInitScript('Object.defineProperty(navigator, "clipboard", { value: undefined })');
    await page.goto(await mailed({ first_name: 'Grace' }));
    await page.getByRole('button').click();
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await page.getByRole('status').getByText('Copied.').waitFor();
    await page.evaluate('document.execCommand = () => false');
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await page.getByRole('status').getByText('copy it with Ctrl+C').waitFor();
    await focusOn('key');
    const selected = 'document.activeElement.selectionEnd - document.activeElement.selectionStart';
    expect(await page.evaluate(selected)).toBe((await page.getByLabel('key').inputValue()).length);
  });

  it('works without scripts and styles', async () => {
    await open({ javaScriptEnabled: false });
    await context.route(/\/pages\//, (route) => route.abort());
    await page.goto(await mailed());
    await page.getByLabel('First name').fill('Grace');
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    expect(await heading()).toBe('Welcome to Acme & Söhne');
    expect(await page.getByRole('button').count()).toBe(0);
    const key = await page.getByLabel('Your personal API key').inputValue();
    expect((await api.anyone(key).get('/api/users/@me/')).body.email).toBe(email);
  });

  it('says of links that lead nowhere what they are', async () => {
    const used = await mailed({ first_name: 'Grace' });
    await page.goto(used);
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    email = `ada-${people}@example.com`;
    const replaced = await mailed();
    const expired = await mailed();
    const guest = await api.owner();
    const cases: [string, number, string][] = [
      [used, 410, 'This invitation has been used'],
      [replaced, 410, 'There is a newer invitation'],
      [`${proxy.url}/signup/nothing/`, 404, 'This link leads to no invitation'],
      [await mailed({ target_email: guest.user.email }), 400, 'You have an account already'],
    ];
    for (const [link, status, title] of cases) {
      expect([(await page.goto(link))?.status(), await heading()]).toEqual([status, title]);
      expect(await barriersOn(page)).toEqual([]);
    }
    api.clock.advance({ days: 4 });
    expect([(await page.goto(expired))?.status(), await heading()]).toEqual([
      410,
      'This invitation has expired',
    ]);
    expect(complaints.take()).toEqual([]);
  });

  it.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['of a phone', { colorScheme: 'light', viewport: { width: 320, height: 640 } }],
    [
      'of large letters',
      { colorScheme: 'dark', viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
    ],
  ] as [string, BrowserContextOptions][])('puts up no barrier on a screen that is %s', async (_, options) => {
    await open(options);
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    await page.goto(await mailed({ first_name: 'Grace', message: 'x'.repeat(300) }));
    expect([await barriersOn(page), await fits()]).toEqual([[], true]);
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    expect([await barriersOn(page), await fits()]).toEqual([[], true]);
    await page.goto(`${proxy.url}/`);
    expect([await barriersOn(page), await fits()]).toEqual([[], true]);
    expect(await heading()).toBe('This is a Hedgerow server');
    expect(complaints.take()).toEqual([]);
  });

  it('is framed by nobody, and cannot be accepted from the page of another site', async () => {
    const link = await mailed();
    const elsewhere = 'http://evil.localhost/';
    await context.route(`${elsewhere}**`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${link}"></iframe><form method="post" action="${link}"><input name="first_name" value="Eve"><button>Go</button></form>`,
      }),
    );
    await page.goto(elsewhere);
    // The browser's own page, which says that it was refused.
    await until(() => page.frames()[1]?.url() === 'chrome-error://chromewebdata/');
    await page.getByRole('button', { name: 'Go' }).click();
    await page.getByText('sent by another site').waitFor();
    expect(await api.rows('SELECT id FROM users WHERE email = $1', [email])).toEqual([]);
  });
});
