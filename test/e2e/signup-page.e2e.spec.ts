import { SignUpService } from '../../src/membership/sign-up.service';
import { type Person, TestApi } from '../support/api';
import { sendRaw } from '../support/raw-http';
import { ServerProcess } from '../support/server-process';

const FORM = 'application/x-www-form-urlencoded';

interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  readonly title: string;
}

describe('The page behind the link of an invite', () => {
  let api: TestApi;
  let owner: Person;
  let email: string;
  let people = 0;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    owner = await api.owner();
    people += 1;
    email = `grace-${people}@example.com`;
  });
  afterEach(() => api.clock.reset());

  async function page(path: string, init: RequestInit = {}, from: TestApi = api): Promise<PageAnswer> {
    const { status, headers, ...answer } = await fetchPage(from.url + path, init);
    const [, title = ''] = /<h1>(.*?)<\/h1>/s.exec(answer.html) ?? [];
    return { status, headers, title, html: answer.html };
  }

  async function fetchPage(url: string, init: RequestInit) {
    const answer = await fetch(url, { redirect: 'manual', ...init });
    return { status: answer.status, headers: answer.headers, html: await answer.text() };
  }

  const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    page(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'Content-Type': FORM, ...headers },
    });

  async function invited(body: object = {}, by: Person = owner): Promise<string> {
    const answer = await by.post(by.path('invites/'), { target_email: email, ...body });
    const [, secret] = /\/signup\/(\w+)\/>/.exec(answer.headers.get('link') ?? '') ?? [];
    return `/signup/${secret}/`;
  }

  const accounts = () => api.rows('SELECT id FROM users WHERE lower(email) = lower($1)', [email]);
  const keyIn = ({ html }: PageAnswer): string => /phx_\w+/.exec(html)?.[0] ?? '';

  describe('looked at', () => {
    it('says who invites whom to what, and until when', async () => {
      const path = await invited({ first_name: 'Grace', level: 8, message: 'Come in!' });
      const { status, title, html } = await page(path);
      const { name } = (await owner.get('/api/organizations/@current/')).body;
      expect([status, title]).toEqual([200, `Join ${name}`]);
      expect(html).toContain(`<title>Join ${name} - Hedgerow</title>`);
      expect(html).toContain(`<strong>Olive Owner (${owner.user.email})</strong> invites you`);
      expect(html).toContain('as an administrator');
      expect(html).toContain('<blockquote>Come in!</blockquote>');
      expect(html).toContain(`an account for ${email} on this server`);
      expect(html).toMatch(/<input id="first_name" name="first_name" value="Grace"[^>]* required>/);
      expect(html).toMatch(/until \d+ \w+ \d{4} at \d\d:\d\d UTC/);
    });

    it('shows what people wrote as text', async () => {
      const evil = `"><script>alert('1')</script>`;
      await owner.patch(`/api/organizations/${owner.organizationId}/`, { name: `A${evil}` });
      await owner.patch('/api/users/@me/', { first_name: evil });
      const path = await invited({ message: evil, first_name: evil.slice(0, 30) });
      const { html } = await page(path);
      expect(html).not.toContain('<script>alert');
      expect(html.split('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)').length).toBeGreaterThan(4);
      const refused = await send(path, { first_name: '', last_name: evil });
      expect(refused.html).not.toContain('<script>alert');
      expect(refused.html).toContain('value="&quot;&gt;&lt;script&gt;');
      const accepted = await send(path, { first_name: 'Grace' });
      expect(accepted.status).toBe(201);
      expect(accepted.html).not.toContain('<script>alert');
    });

    it('changes nothing, however often mail programs look at it', async () => {
      const path = await invited();
      for (const method of ['GET', 'HEAD', 'GET']) expect((await page(path, { method })).status).toBe(200);
      expect((await page(path.slice(0, -1))).status).toBe(200);
      expect(await accounts()).toEqual([]);
    });

    it('does without who has invited when they are gone', async () => {
      const path = await invited({ message: '   ' });
      await api.rows('UPDATE organization_invites SET created_by_id = NULL WHERE target_email = $1', [email]);
      const { status, html } = await page(path);
      expect([status, html]).toEqual([200, expect.stringContaining('<p>You are invited')]);
      expect(html).not.toContain('blockquote');
    });
  });

  describe('whatever it says', () => {
    it('is kept nowhere, framed by nobody, and runs only what the server has for it', async () => {
      const path = await invited();
      const answers = [
        await page(path),
        await send(path, {}),
        await send(path, { first_name: 'Grace' }),
        await page(path),
        await page('/signup/nothing/'),
        await send(path, {}, { 'Sec-Fetch-Site': 'cross-site' }),
        await page('/', { headers: { Accept: 'text/html' } }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 201, 410, 404, 403, 200]);
      for (const { headers, html } of answers) {
        expect(Object.fromEntries(headers)).toMatchObject({
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
          'x-frame-options': 'DENY',
          'x-content-type-options': 'nosniff',
          'content-security-policy':
            "default-src 'none';script-src 'self';style-src 'self';img-src 'self';form-action 'self';" +
            "frame-ancestors 'none';base-uri 'none'",
        });
        expect(headers.get('ratelimit-limit')).toBeNull();
        expect(html.match(/<h1>/g)).toHaveLength(1);
        expect(html).not.toMatch(/ style=| on\w+=|<style|<script(?! src=)/);
      }
    });

    it('loads files that are there, and may be kept for ever', async () => {
      const { html } = await page(await invited());
      const paths = [...html.matchAll(/(?:href|src)="(\/pages\/[^"]+)"/g)].map(([, path]) => path as string);
      const types = new Map<string, string | null>();
      for (const path of paths) {
        const answer = await fetch(api.url + path);
        expect([path, answer.status]).toEqual([path, 200]);
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        types.set(path.replace(/\?.*/, ''), answer.headers.get('content-type'));
      }
      expect(Object.fromEntries(types)).toEqual({
        '/pages/page.css': 'text/css; charset=utf-8',
        '/pages/copy.js': 'text/javascript; charset=utf-8',
        '/pages/icon.svg': 'image/svg+xml; charset=utf-8',
      });
    });

    it('is none of the operations of the OpenAPI document', async () => {
      const { paths } = (await api.anyone().get('/api/schema/')).body;
      expect(Object.keys(paths).filter((path) => /^\/(signup|pages)|^\/$/.test(path))).toEqual([]);
    });
  });

  describe('accepted', () => {
    it('makes the account, and shows its key this once with what to do next', async () => {
      const path = await invited({ level: 8 });
      const answer = await send(path, { first_name: ' Grace ', last_name: 'Hopper', level: '15' });
      expect([answer.status, answer.title]).toEqual([201, expect.stringMatching(/^Welcome to Organization/)]);
      const me = await api.anyone(keyIn(answer)).get('/api/users/@me/');
      expect(me.body).toMatchObject({ email, first_name: 'Grace', last_name: 'Hopper' });
      const organization = await api.anyone(keyIn(answer)).get('/api/organizations/@current/');
      expect(organization.body).toMatchObject({ id: owner.organizationId, membership_level: 8 });
      expect(answer.html).toContain(`curl -H "Authorization: Bearer $KEY" ${api.url}/api/users/@me/`);
      expect(answer.html).toContain(`href="${api.url}/docs/"`);
      const again = await send(path, { first_name: 'Grace' });
      expect([again.status, again.title]).toEqual([410, 'This invitation has been used']);
      expect(keyIn(again)).toBe('');
    });

    it('without a proper name asks for it again, tied to its field, and keeps what was typed', async () => {
      const path = await invited({ first_name: 'Grace' });
      const cases: [Record<string, string>, string, string][] = [
        [{}, 'first_name', 'Tell us your first name.'],
        [{ first_name: '  ', last_name: 'Hopper' }, 'first_name', 'Tell us your first name.'],
        [{ first_name: 'x'.repeat(151), last_name: 'Hopper' }, 'first_name', 'no more than 150 characters'],
        [{ first_name: 'a\0', last_name: 'Hopper' }, 'first_name', 'Null characters'],
        [{ first_name: 'Grace', last_name: 'x'.repeat(151) }, 'last_name', 'no more than 150 characters'],
      ];
      for (const [fields, name, problem] of cases) {
        const { status, html } = await send(path, fields);
        expect(status).toBe(400);
        expect(html).toMatch(new RegExp(`<p class="wrong" id="${name}_problem">[^<]*${problem}`));
        const [input] = new RegExp(`<input id="${name}"[^>]*>`).exec(html) ?? [];
        expect(input).toContain(`aria-invalid="true" aria-describedby="${name}_problem" autofocus`);
        expect(html.match(/aria-invalid/g)).toHaveLength(1);
        if (fields.last_name === 'Hopper') expect(html).toContain('name="last_name" value="Hopper"');
      }
      const twice = await page(path, {
        method: 'POST',
        body: 'first_name=a&first_name=b',
        headers: { 'Content-Type': FORM },
      });
      expect(twice.status).toBe(400);
      expect((await page(path, { method: 'POST' })).status).toBe(400);
      expect(await accounts()).toEqual([]);
      expect((await send(path, { first_name: 'Grace' })).status).toBe(201);
    });

    it('many times at once, here and through the API, makes one account', async () => {
      const path = await invited();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          index % 2
            ? send(path, { first_name: 'Grace' })
            : api.anyone().post(`/api${path}`, { first_name: 'Ada' }),
        ),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 400 || status === 410)).toHaveLength(19);
      expect(await accounts()).toHaveLength(1);
    });

    it('by a form of another site is refused', async () => {
      const path = await invited();
      const host = new URL(api.url).host;
      const refused: Record<string, string>[] = [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { Origin: 'https://evil.example.com' },
        { Origin: 'nonsense' },
        { Origin: `https://${host}.evil.example.com` },
        { Origin: `http://${host}`, 'Sec-Fetch-Site': 'cross-site' },
      ];
      for (const headers of refused) {
        const { status, html } = await send(path, { first_name: 'Grace' }, headers);
        expect([headers, status]).toEqual([headers, 403]);
        expect(html).toContain('sent by another site');
      }
      expect(await accounts()).toEqual([]);
      const accepted: Record<string, string>[] = [
        { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' },
        { 'Sec-Fetch-Site': 'none' },
        { Origin: 'null' },
        { Origin: `https://${host}` },
        {},
      ];
      for (const headers of accepted) {
        expect((await send(path, { first_name: '' }, headers)).status).toBe(400);
      }
    });

    it('takes forms alone, and small ones', async () => {
      const path = await invited();
      const post = (type: string, body: string) =>
        page(path, { method: 'POST', body, headers: { 'Content-Type': type } });
      expect((await post('application/json', '{"first_name":"Grace"}')).status).toBe(415);
      expect((await post('text/plain', 'first_name=Grace')).status).toBe(415);
      expect((await post(`${FORM}; charset=x-unknown`, 'first_name=Grace')).status).toBe(415);
      expect((await post(FORM, `first_name=${'x'.repeat(17_000)}`)).status).toBe(413);
      expect((await post(FORM, 'a=1&'.repeat(30))).status).toBe(413);
      expect((await post(FORM, 'first_name=%zz%')).status).toBe(201);
      const others = ['/api/signup/x/', '/api/organizations/', '/signup/x/y/', '/'];
      for (const other of others) {
        const answer = await page(other, { method: 'POST', body: 'a=1', headers: { 'Content-Type': FORM } });
        expect([other, answer.headers.get('content-type')]).toEqual([other, expect.stringContaining('json')]);
        expect([401, 404, 415]).toContain(answer.status);
      }
    });
  });

  describe('when it cannot be accepted', () => {
    const refused = async (path: string, status: number, title: string) => {
      const looks = [await page(path), await send(path, { first_name: 'Grace' })];
      for (const answer of looks) {
        expect([answer.status, answer.title]).toEqual([status, title]);
        expect(answer.html).not.toContain('<form');
      }
      return looks[0]?.html ?? '';
    };

    it.each([
      ['one letter', 'x'],
      ['of the right length', 'a'.repeat(43)],
      ['far too long', 'a'.repeat(3000)],
      ['NUL', '%00'],
      ['a way up', '..%2f'],
      ['a picture', '%F0%9F%A6%94'],
      ['markup', '%22%3E%3Cb%3E'],
    ])('says so of one that nobody knows: %s', async (_, secret) => {
      const html = await refused(`/signup/${secret}/`, 404, 'This link leads to no invitation');
      expect(html).not.toContain('"><b>');
    });

    it('says so of one that has expired', async () => {
      const path = await invited();
      api.clock.advance({ days: 3, seconds: 1 });
      const html = await refused(path, 410, 'This invitation has expired');
      expect(html).toContain('for 3 days');
    });

    it('says so of one that was used, on this page or elsewhere', async () => {
      const [here, there] = [await invited(), await invited({ target_email: `other-${email}` })];
      await send(here, { first_name: 'Grace' });
      await api.anyone().post(`/api${there}`, { first_name: 'Grace' });
      for (const path of [here, there]) await refused(path, 410, 'This invitation has been used');
    });

    it('says so of one that was replaced by a newer one, or withdrawn', async () => {
      const replaced = await invited();
      const withdrawn = await invited();
      await refused(replaced, 410, 'There is a newer invitation');
      const [invite] = (await owner.get(owner.path('invites/'))).body.results;
      await owner.delete(owner.path(`invites/${invite.id}/`));
      await refused(withdrawn, 410, 'This invitation was withdrawn');
      const admin = await api.member(owner, 8);
      const theirs = await invited({}, admin);
      await owner.delete(owner.path(`members/${admin.user.uuid}/`));
      await refused(theirs, 410, 'This invitation was withdrawn');
    });

    it('forgets after 90 days what became of invites, and with the organization', async () => {
      const path = await invited();
      await send(path, { first_name: 'Grace' });
      const elsewhere = await api.owner();
      const other = await invited({}, elsewhere);
      await invited({}, elsewhere);
      api.clock.advance({ days: 91 });
      await invited({ target_email: `other-${email}` });
      await refused(path, 404, 'This link leads to no invitation');
      api.clock.reset();
      await elsewhere.delete(`/api/organizations/${elsewhere.organizationId}/`);
      await refused(other, 404, 'This link leads to no invitation');
    });

    it('tells who has an account how to join with it, by a call that does', async () => {
      const guest = await api.owner();
      const path = await invited({ target_email: guest.user.email });
      const html = await refused(path, 400, 'You have an account already');
      const [, url] = /curl -X POST -H "Authorization: Bearer \$KEY" (\S+)<\/code>/.exec(html) ?? [];
      const answer = await fetch(url ?? '', {
        method: 'POST',
        headers: { Authorization: `Bearer ${guest.key}` },
      });
      expect([answer.status, url]).toEqual([201, `${api.url}/api${path}`]);
    });

    it('tells who belongs already, and whose domain wants single sign-on', async () => {
      const guest = await api.owner();
      const path = await invited({ target_email: guest.user.email });
      await api.rows(
        `INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
         VALUES (gen_random_uuid(), $1, $2, 1, now(), now())`,
        [owner.organizationId, guest.user.id],
      );
      expect((await page(path)).title).toMatch(/^You already belong to Organization/);
      const domain = `sso-page-${people}.example.com`;
      await api.rows(
        `INSERT INTO organization_domains (id, organization_id, domain, verification_challenge,
                                           jit_provisioning_enabled, sso_enforcement, verified_at)
         VALUES (gen_random_uuid(), $1, $2, 'challenge', false, 'github', now())`,
        [owner.organizationId, domain],
      );
      const other = await invited({ target_email: `grace@${domain}` });
      await refused(other, 400, 'This address must use single sign-on');
    });

    it('says sorry when the server fails, and tells nothing', async () => {
      const path = await invited();
      const failing = jest
        .spyOn(api.app.get(SignUpService), 'look')
        .mockRejectedValue(new Error('s3cret detail'));
      const { status, title, html } = await page(path);
      failing.mockRestore();
      expect([status, title]).toEqual([500, 'Something went wrong']);
      expect(html).not.toContain('s3cret');
    });

    it('is a page also for a Host that names no host', async () => {
      const path = await invited();
      const hosts = ['evil"><script>', 'a:99999'];
      for (const host of hosts) {
        const [answer] = await sendRaw(
          api.url,
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        );
        expect(answer?.headers['content-type']).toBe('text/html; charset=utf-8');
        expect(answer?.body).not.toContain('evil"');
      }
    });
  });

  it('counts as a call of the API, without telling where the caller stands', async () => {
    const limited = await TestApi.start({ RATE_LIMIT_ENABLED: 'true' });
    const path = '/signup/unknown/';
    const post = () => page(path, { method: 'POST' }, limited);
    for (let done = 0; done < 479; done += 1) await limited.anyone().get('/api/signup/unknown/');
    const last = await post();
    expect([last.status, last.headers.get('ratelimit-remaining')]).toEqual([404, null]);
    const refused = await post();
    expect([refused.status, refused.title]).toEqual([429, 'Too many attempts']);
    const wait = refused.headers.get('retry-after');
    expect(refused.html).toContain(`Wait ${wait} second`);
    expect((await limited.anyone().get('/api/signup/unknown/')).status).toBe(429);
    expect((await page(path, {}, limited)).status).toBe(404);
    await limited.stop();
  });

  it('is named in metrics without its secret', async () => {
    const path = await invited();
    await page(path);
    await page('/signup/x/y/');
    const metrics = (await api.anyone().get('/metrics')).text;
    expect(metrics).toContain('route="/signup/:secret"');
    expect(metrics).not.toContain(path.split('/')[2]);
  });

  it('leaves neither secret nor key in the log', async () => {
    const server = new ServerProcess({
      DATABASE_URL: api.databaseUrl,
      SECRET_KEY: 'a secret key for tests and for tests alone',
      LOG_LEVEL: 'trace',
    });
    try {
      await server.ready();
      const path = await invited();
      const secret = path.split('/')[2] ?? '';
      const post = (to: string, fields: Record<string, string>) =>
        fetchPage(server.url + to, { method: 'POST', body: new URLSearchParams(fields) });
      const get = (to: string) => fetchPage(server.url + to, {});
      await get(path);
      await post(path, {});
      const key = /phx_\w+/.exec((await post(path, { first_name: 'Grace' })).html)?.[0] ?? 'none';
      for (const odd of [path, `/api${path}`, `/signup/${path}`, `${path}x/`, `${path}%zz`, `/${path}`]) {
        await get(odd);
        await post(odd, { first_name: 'Grace' });
      }
      await server.stop();
      expect(server.output).toContain('/signup/.../');
      expect(server.output).not.toContain(secret);
      expect(server.output).not.toContain(key.slice(4));
    } finally {
      await server.stop();
    }
  });

  it('works below the path of a PUBLIC_URL', async () => {
    const below = await TestApi.start({ PUBLIC_URL: 'https://hedgerow.example.com/app' });
    const { html } = await page('/signup/x/', {}, below);
    expect(html).toContain('href="/app/pages/page.css?');
    const home = await page('/', { headers: { Accept: 'text/html' } }, below);
    expect(home.html).toContain('href="https://hedgerow.example.com/app/docs/"');
    await below.stop();
  });
});

describe('The address of the server', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api.stop());

  it('tells a browser what this is, and leaves programs the 404', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const page = await fetch(`${api.url}/`, { headers: { Accept: accept } });
    expect([page.status, page.headers.get('vary')]).toEqual([200, 'Accept']);
    expect(await page.text()).toContain(`href="${api.url}/docs/"`);
    for (const Accept of ['*/*', 'application/json', '']) {
      const answer = await api.anyone().get('/', { headers: { Accept } });
      expect([answer.status, answer.body?.code]).toEqual([404, 'not_found']);
    }
    const other = await fetch(`${api.url}/nothing/`, { headers: { Accept: accept } });
    expect([other.status, other.headers.get('content-type')]).toEqual([
      404,
      'application/json; charset=utf-8',
    ]);
  });
});
