import { MembershipService } from '../../src/membership/index';
import { Level } from '../../src/shared/domain/level';
import { Mails } from '../../src/shared/mail/mails';
import { Transaction } from '../../src/shared/persistence/transaction';
import { type Person, TestApi } from '../support/api';
import { refusal } from '../support/matchers';
import { until } from '../support/server-process';
import { MailCatcher, type ReceivedMail, wordsOf } from '../support/smtp-server';

const PUBLIC_URL = 'https://hedgerow.example.com/app';
const LINK = /https:\/\/hedgerow\.example\.com\/app\/signup\/([0-9A-Za-z]{38,43})\//;
const GRACE = { first_name: 'Grace', last_name: 'Hopper' };

describe('Mails about members', () => {
  const catcher = new MailCatcher();
  let api: TestApi;
  let owner: Person;
  let email: string;
  let people = 0;

  beforeAll(async () => {
    await catcher.start();
    api = await TestApi.start({ ROLE: 'all', SMTP_URL: catcher.url, PUBLIC_URL });
  });
  afterAll(async () => {
    await api.stop();
    await catcher.stop();
  });
  beforeEach(async () => {
    owner = await api.owner();
    people += 1;
    email = `grace-${people}@example.com`;
  });
  afterEach(() => api.clock.reset());

  /** Every mail that has been sent to an address, once none is on its way. */
  async function mailsTo(address: string): Promise<ReceivedMail[]> {
    await api.app.get(Mails).tick();
    await until(async () => {
      const waiting = await api.rows("SELECT FROM mails WHERE state IN ('waiting', 'sending')");
      return waiting.length === 0;
    });
    return catcher.mails.filter(({ to }) => to.includes(address));
  }

  async function mailTo(address: string): Promise<{ raw: string; words: string }> {
    const mails = await mailsTo(address);
    expect(mails).toHaveLength(1);
    const [mail] = mails as [ReceivedMail];
    return { raw: mail.raw, words: wordsOf(mail) };
  }

  const invite = (body: object = {}, by: Person = owner) =>
    by.post(owner.path('invites/'), { target_email: email, ...body });
  const secretIn = (text: string): string => LINK.exec(text)?.[1] ?? '';
  /** Where the mailed link is accepted through the API. */
  const apiPath = async () => `/api/signup/${secretIn((await mailTo(email)).words)}/`;

  describe('an invitation', () => {
    it('is mailed to the address with the link, from us, answered to who invites (INV-04, D23)', async () => {
      const answer = await invite({ first_name: 'Grace', level: 8, message: 'Come in!\n<b>Soon</b>' });
      expect(answer.status).toBe(201);
      expect(answer.body.emailing_attempt_made).toBe(true);
      expect(answer.headers.get('link')).toBeNull();
      const { words } = await mailTo(email);
      const { name } = (await owner.get('/api/organizations/@current/')).body;
      expect(words).toContain(`To: Grace <${email}>`);
      expect(words).toContain(`Reply-To: Olive Owner <${owner.user.email}>`);
      expect(words).toContain(`Subject: Olive Owner invites you to join ${name}`);
      expect(words).toContain('Hello Grace,');
      expect(words).toContain(`invites you to join ${name} on Hedgerow, as an administrator.`);
      expect(words).toContain('> Come in!\r\n> <b>Soon</b>');
      expect(words).toContain('<blockquote>Come in!<br>&lt;b&gt;Soon&lt;/b&gt;</blockquote>');
      expect(words).toMatch(/works once, and for 3 days: until \d+ \w+ \d{4} at \d\d:\d\d UTC/);
      expect((await api.anyone().get(`/api/signup/${secretIn(words)}/`)).body.target_email).toBe(email);
    });

    it('is shown as mailed in lists, and its secret nowhere but in the mail', async () => {
      await invite();
      const { words } = await mailTo(email);
      const list = await owner.get(owner.path('invites/'));
      expect(list.body.results[0].emailing_attempt_made).toBe(true);
      expect(list.text).not.toContain(secretIn(words));
      const stored = await api.rows<{ row: string }>(
        `SELECT m::text AS row FROM mails m UNION ALL SELECT i::text FROM organization_invites i
          UNION ALL SELECT data::text FROM jobs.job`,
      );
      expect(stored.map(({ row }) => row).join()).not.toContain(secretIn(words));
    });

    it('is not mailed where that is not wanted: the answer has the link (D23)', async () => {
      const answer = await invite({ send_email: false });
      expect(answer.body.emailing_attempt_made).toBe(false);
      expect(answer.headers.get('link')).toMatch(LINK);
      expect(await mailsTo(email)).toEqual([]);
    });

    it('leaves out what is not there', async () => {
      await invite({ message: '  \n' });
      const { words } = await mailTo(email);
      expect(words).toContain('Hello,');
      expect(words).not.toMatch(/writes:|blockquote/);
    });

    it('is mailed for each of a list, and a link is answered for each of the others, in order', async () => {
      const items = ['a', 'b', 'c', 'd'].map((name, index) => ({
        target_email: `${name}-${email}`,
        send_email: index % 2 === 0,
      }));
      const answer = await owner.preferring.post(owner.path('invites/bulk/'), items);
      expect(
        answer.body.map((item: { emailing_attempt_made: boolean }) => item.emailing_attempt_made),
      ).toEqual([true, false, true, false]);
      const links = (answer.headers.get('link') ?? '').split(', ');
      const offers = await Promise.all(
        links.map((link) => api.anyone().get(`/api/signup/${secretIn(link)}/`)),
      );
      expect(offers.map(({ body }) => body.target_email)).toEqual([`b-${email}`, `d-${email}`]);
      expect(await mailsTo(`a-${email}`)).toHaveLength(1);
      expect(await mailsTo(`b-${email}`)).toHaveLength(0);
      const mailed = await owner.post(owner.path('invites/bulk/'), [{ target_email: email }]);
      expect([mailed.status, mailed.headers.get('link')]).toEqual([200, null]);
    });

    it('is mailed five times a day to a mailbox, whoever invites; the link of others is answered', async () => {
      const other = await api.owner();
      const again = async (by: Person, address: string) => {
        const { status, body, headers } = await by.post(by.path('invites/'), { target_email: address });
        expect(status).toBe(201);
        if (!body.emailing_attempt_made) expect(headers.get('link')).toMatch(/rel="accept"/);
        expect((await by.delete(by.path(`invites/${body.id}/`))).status).toBe(204);
        return body.emailing_attempt_made;
      };
      const mailed: boolean[] = [];
      const tagged = email.replace('@', '+tag@');
      for (const by of [owner, owner, other, owner]) mailed.push(await again(by, email));
      for (const address of [tagged, email.toUpperCase(), tagged, email])
        mailed.push(await again(other, address));
      expect(mailed).toEqual([true, true, true, true, true, false, false, false]);
      expect(await mailsTo(email)).toHaveLength(4);
      const bulk = await owner.preferring.post(owner.path('invites/bulk/'), [
        { target_email: email },
        { target_email: `somebody-else-${email}` },
      ]);
      expect(bulk.body.map((item: { emailing_attempt_made: boolean }) => item.emailing_attempt_made)).toEqual(
        [false, true],
      );
      api.clock.advance({ hours: 25 });
      expect(await again(owner, email)).toBe(true);
    });

    it('is mailed 200 times an hour by an organization', async () => {
      await api.rows(
        `INSERT INTO invitation_mails (organization_id, mailbox, mailed_at)
         SELECT $1, sha256(n::text::bytea), $2 FROM generate_series(1, 199) n`,
        [owner.organizationId, api.clock.now()],
      );
      expect((await invite()).body.emailing_attempt_made).toBe(true);
      expect((await invite({ target_email: `b-${email}` })).body.emailing_attempt_made).toBe(false);
      const other = await api.owner();
      const by = { target_email: `c-${email}` };
      expect((await other.post(other.path('invites/'), by)).body.emailing_attempt_made).toBe(true);
      api.clock.advance({ minutes: 61 });
      expect((await invite({ target_email: `b-${email}` })).body.emailing_attempt_made).toBe(true);
    });

    it('is mailed once, though it is asked for again under one Idempotency-Key', async () => {
      const headers = { 'Idempotency-Key': `invite-${people}` };
      const ask = () => owner.post(owner.path('invites/'), { target_email: email }, { headers });
      const answers = [await ask(), await ask()];
      expect(answers[1]?.body).toEqual(answers[0]?.body);
      expect(await mailsTo(email)).toHaveLength(1);
    });

    it('is not mailed when it is not made', async () => {
      const list = [{ target_email: email }, { target_email: owner.user.email }];
      expect(await owner.post(owner.path('invites/bulk/'), list)).toEqual(
        refusal(400, 'invalid_input', expect.any(String), '1'),
      );
      const failing = jest
        .spyOn(api.app.get(Transaction), 'resource')
        .mockRejectedValueOnce(new Error('broken'));
      await invite();
      failing.mockRestore();
      expect(await mailsTo(email)).toEqual([]);
    });
  });

  describe('who signs up', () => {
    it('by a mailed link has proven the address', async () => {
      await invite();
      const { body } = await api.anyone().post(await apiPath(), GRACE);
      expect(body.user.is_email_verified).toBe(true);
      const me = await api.anyone(body.personal_api_key.value).get('/api/users/@me/');
      expect(me.body.is_email_verified).toBe(true);
    });

    it('by a link that was handed over has not', async () => {
      const link = (await invite({ send_email: false })).headers.get('link') ?? '';
      const { body } = await api.anyone().post(`/api/signup/${secretIn(link)}/`, GRACE);
      expect(body.user.is_email_verified).toBeNull();
    });

    it('with a key, by a mailed link, has proven it as well', async () => {
      const guest = await api.owner();
      email = guest.user.email;
      await invite();
      const { body } = await guest.post(await apiPath());
      expect(body.user).toMatchObject({ id: guest.user.id, is_email_verified: true });
    });
  });

  describe('that somebody has joined', () => {
    const join = async (by: Person = owner) => {
      const link = (await invite({ send_email: false, level: 1 }, by)).headers.get('link') ?? '';
      expect((await api.anyone().post(`/api/signup/${secretIn(link)}/`, GRACE)).status).toBe(201);
    };

    it('is mailed to the other members (SIGN-13)', async () => {
      const member = await api.member(owner);
      const gone = await api.member(owner);
      await api.rows('UPDATE users SET is_active = false WHERE id = $1', [gone.user.id]);
      const stranger = await api.owner();
      await join();
      for (const person of [owner, member]) {
        const { words } = await mailTo(person.user.email);
        expect(words).toContain('Subject: Grace Hopper has joined Organization');
        expect(words).toContain(`Grace Hopper (${email}) has accepted an invitation and joined`);
        expect(words).toContain('as a member.');
      }
      for (const { user } of [gone, stranger]) expect(await mailsTo(user.email)).toEqual([]);
      expect((await mailsTo(email)).some((mail) => wordsOf(mail).includes('has joined'))).toBe(false);
    });

    it('is mailed to nobody where the organization does not want it', async () => {
      await owner.patch(`/api/organizations/${owner.organizationId}/`, {
        is_member_join_email_enabled: false,
      });
      await join();
      expect(await mailsTo(owner.user.email)).toEqual([]);
    });
  });

  describe('a new key', () => {
    it('is told to its owner, without its value', async () => {
      const answer = await owner.post('/api/personal_api_keys/', {
        label: 'Backup <script>',
        scopes: ['action:read', 'project:read'],
        scoped_organizations: [owner.organizationId],
      });
      const { raw, words } = await mailTo(owner.user.email);
      expect(words).toContain('Subject: A new personal API key of yours');
      expect(words).toContain('Label: Backup <script>');
      expect(words).toContain('<p>Label: Backup &lt;script&gt;</p>');
      expect(words).toContain('Scopes: action:read, project:read');
      expect(words).toContain(`Organizations: ${owner.organizationId}`);
      expect(words).toMatch(/on \d+ \w+ \d{4} at \d\d:\d\d UTC/);
      expect(words).toContain(`${PUBLIC_URL}/docs/`);
      expect(raw + words).not.toContain(answer.body.value);
      expect(raw + words).not.toContain(answer.body.value.slice(4, 20));
    });

    it('is told to who signs up, and not when it is refused', async () => {
      const link = (await invite({ send_email: false })).headers.get('link') ?? '';
      await api.anyone().post(`/api/signup/${secretIn(link)}/`, GRACE);
      expect((await mailTo(email)).words).toContain('Scopes: * (all)');
      await owner.post('/api/personal_api_keys/', { label: 'x', scopes: ['nonsense'] });
      expect((await mailsTo(owner.user.email)).map(wordsOf).join()).not.toContain('API key');
    });
  });

  it('knows whom to write to about an organization', async () => {
    const admin = await api.member(owner, Level.Admin);
    await api.member(owner);
    const gone = await api.member(owner, Level.Admin);
    await api.rows('UPDATE users SET is_active = false WHERE id = $1', [gone.user.id]);
    expect(await api.app.get(MembershipService).administrators(owner.organizationId)).toEqual([
      { name: 'Olive Owner', address: owner.user.email },
      { name: 'Max Member', address: admin.user.email },
    ]);
  });
});

describe('Mails about members of a large organization', () => {
  it('go to at most 100 when somebody joins: who invited, then the highest levels', async () => {
    // Nothing is sent here: it is the worker's to do.
    const api = await TestApi.start({ SMTP_URL: 'smtp://127.0.0.1:9', PUBLIC_URL });
    try {
      const owner = await api.owner();
      await api.rows(
        `WITH crowd AS (
           INSERT INTO users (uuid, distinct_id, email, first_name, last_name, date_joined)
           SELECT gen_random_uuid(), gen_random_uuid()::text, 'crowd-' || n || '@example.com', '', '', now()
             FROM generate_series(1, 120) AS n RETURNING id)
         INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
         SELECT gen_random_uuid(), $1::uuid, id, 1, now() - interval '1 day', now() FROM crowd`,
        [owner.organizationId],
      );
      const [inviter, admin] = [await api.member(owner), await api.member(owner, Level.Admin)];
      const body = { target_email: 'grace@example.com', send_email: false };
      const { headers } = await inviter.post(owner.path('invites/'), body);
      const path = `/api/signup/${LINK.exec(headers.get('link') ?? '')?.[1]}/`;
      expect((await api.anyone().post(path, GRACE)).status).toBe(201);
      const names = await api.rows<{ name: string }>(
        "SELECT name FROM mails WHERE name LIKE 'invite%' ORDER BY id",
      );
      expect(names).toHaveLength(100);
      const told = names.map(({ name }) => Number(/to user (\d+)$/.exec(name)?.[1]));
      expect(told.slice(0, 3)).toEqual([inviter.user.id, owner.user.id, admin.user.id]);
    } finally {
      await api.stop();
    }
  });
});
