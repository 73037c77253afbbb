import { IdentityService } from '../../src/identity/index';
import { NotFound } from '../../src/shared/domain/domain-error';
import { Level } from '../../src/shared/domain/level';
import { type Person, TestApi } from '../support/api';
import { refusal, statuses } from '../support/matchers';

const UNKNOWN = refusal(400, 'invalid_input', 'The provided invite ID is not valid.');
const EXPIRED = refusal(400, 'expired', 'This invite has expired. Please ask your admin for a new one.');
const OTHER_RECIPIENT = refusal(
  400,
  'invalid_recipient',
  'This invite is intended for another email address.',
);
const ACCOUNT_EXISTS = refusal(400, 'account_exists', expect.stringContaining('personal API key'));
const ALREADY_MEMBER = refusal(400, 'user_already_member', 'You already are a member of this organization.');
const GRACE = { first_name: 'Grace', last_name: 'Hopper' };

describe('Sign-up', () => {
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

  /** The path at which an invite is accepted. */
  async function invited(body: object = {}, by: Person = owner): Promise<string> {
    const answer = await by.post(by.path('invites/'), { target_email: email, ...body });
    const [, secret] = /\/signup\/(\w+)\/>/.exec(answer.headers.get('link') ?? '') ?? [];
    return `/api/signup/${secret}/`;
  }

  const members = async (of: Person = owner) =>
    (await of.get(of.path('members/'))).body.results.map(
      (item: { user: { email: string }; level: number }) => [item.user.email, item.level],
    );
  const accounts = () => api.rows('SELECT id, email FROM users WHERE lower(email) = lower($1)', [email]);

  describe('of an inviter who was', () => {
    const change = (of: Person, level: number) =>
      owner.patch(owner.path(`members/${of.user.uuid}/`), { level });

    it('removed is no longer possible: they hold the link, and would come back', async () => {
      const admin = await api.member(owner, Level.Admin);
      const [theirs, another] = [
        await invited({ level: 8 }, admin),
        await invited({ target_email: 'x@y.de' }),
      ];
      await owner.delete(owner.path(`members/${admin.user.uuid}/`));
      expect(await api.anyone().post(theirs, GRACE)).toEqual(UNKNOWN);
      expect((await api.anyone().get(another)).status).toBe(200);
      expect((await owner.get(owner.path('invites/'))).body.count).toBe(1);
    });

    it('demoted is possible up to the level that they have now', async () => {
      const other = await api.member(owner, Level.Owner);
      const asOwner = await invited({ level: 15, target_email: 'owner@x.de' }, other);
      const asAdmin = await invited({ level: 8 }, other);
      await change(other, 8);
      expect(await api.anyone().post(asOwner, GRACE)).toEqual(UNKNOWN);
      expect((await api.anyone().post(asAdmin, GRACE)).status).toBe(201);
      const again = await invited({ level: 8, target_email: 'admin@x.de' }, other);
      await change(other, 15);
      expect((await api.anyone().get(again)).status).toBe(200);
    });

    it('demoted while it is accepted gives no more than they have', async () => {
      const other = await api.member(owner, Level.Owner);
      const path = await invited({ level: 15 }, other);
      const [joined] = await Promise.all([api.anyone().post(path, GRACE), change(other, 1)]);
      expect([201, 400]).toContain(joined.status);
      expect(await api.anyone().post(path, GRACE)).toEqual(UNKNOWN);
    });
  });

  describe('look', () => {
    it('shows whom and where the invite is for (SIGN-01)', async () => {
      const path = await invited({ first_name: 'Grace' });
      const { body } = await owner.get(`/api/organizations/${owner.organizationId}/`);
      const [invite] = (await owner.get(owner.path('invites/'))).body.results;
      const offer = await api.anyone().get(path);
      expect([offer.status, offer.body]).toEqual([
        200,
        { id: invite.id, target_email: email, first_name: 'Grace', organization_name: body.name },
      ]);
    });

    it('refuses unknown and malformed secrets (SIGN-03)', async () => {
      const { results } = (await owner.get(owner.path('invites/'))).body;
      const secrets = [
        'x',
        'a'.repeat(43),
        'a'.repeat(3000),
        '%00',
        '..%2f',
        results[0]?.id ?? '-',
        '%F0%9F%A6%94',
      ];
      for (const secret of secrets) {
        expect(await api.anyone().get(`/api/signup/${secret}/`)).toEqual(UNKNOWN);
        expect(await api.anyone().post(`/api/signup/${secret}/`, GRACE)).toEqual(UNKNOWN);
        expect(await api.anyone().post(`/api/signup/${secret}/`, {})).toEqual(UNKNOWN);
        expect(await owner.post(`/api/signup/${secret}/`)).toEqual(UNKNOWN);
      }
    });

    it('does not take the id of an invite for its secret', async () => {
      await invited();
      const [invite] = (await owner.get(owner.path('invites/'))).body.results;
      expect(await api.anyone().get(`/api/signup/${invite.id}/`)).toEqual(UNKNOWN);
    });

    it('refuses expired ones (SIGN-05)', async () => {
      const path = await invited();
      api.clock.advance({ days: 3, seconds: -5 });
      expect((await api.anyone().get(path)).status).toBe(200);
      api.clock.advance({ seconds: 10 });
      expect(await api.anyone().get(path)).toEqual(EXPIRED);
      expect(await api.anyone().post(path, GRACE)).toEqual(EXPIRED);
      expect(await accounts()).toEqual([]);
    });

    it('tells when the address belongs already (SIGN-07)', async () => {
      const { path, guest } = await guestWithInvite();
      await api.rows(
        `INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
         VALUES (gen_random_uuid(), $1, $2, 1, now(), now())`,
        [owner.organizationId, guest.user.id],
      );
      expect(await guest.get(path)).toEqual(ALREADY_MEMBER);
      expect(await guest.post(path)).toEqual(ALREADY_MEMBER);
      expect(await api.anyone().get(path)).toEqual(
        refusal(
          400,
          'existing_email_address',
          'Another user with this email address already belongs to this organization.',
        ),
      );
      expect(await api.anyone().post(path, GRACE)).toEqual(ACCOUNT_EXISTS);
    });
  });

  describe('as somebody new', () => {
    it('makes an account with a key, which is shown this once (SIGN-08, D23)', async () => {
      const path = await invited({ level: 8 });
      const answer = await api.anyone().post(path, { ...GRACE, email: 'x@example.com', level: 15 });
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        user: {
          id: expect.any(Number),
          uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          distinct_id: expect.any(String),
          first_name: 'Grace',
          last_name: 'Hopper',
          email,
          is_email_verified: null,
          hedgehog_config: null,
        },
        organization: { id: owner.organizationId, name: expect.stringMatching(/^Organization/) },
        personal_api_key: expect.objectContaining({
          id: expect.any(String),
          label: expect.any(String),
          value: expect.stringMatching(/^phx_[0-9A-Za-z]{40,48}$/),
          scopes: ['*'],
          scoped_organizations: [],
          scoped_teams: [],
          user_id: answer.body.user.id,
        }),
      });
      expect(await members()).toEqual([
        [email, 8],
        [owner.user.email, 15],
      ]);
      const { value } = answer.body.personal_api_key;
      const stored = await api.rows<{ row: string; hashed: boolean }>(
        'SELECT k::text AS row, value_hash = sha256($2::text::bytea) AS hashed FROM personal_api_keys k WHERE user_id = $1',
        [answer.body.user.id, value],
      );
      expect(stored).toEqual([{ row: expect.not.stringContaining(value), hashed: true }]);
    });

    it('leads into the organization and its oldest project', async () => {
      await api.rows(
        `INSERT INTO projects (uuid, organization_id, api_token, name, timezone, created_at, updated_at)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'Later', 'UTC', now(), now())`,
        [owner.organizationId],
      );
      const { body } = await api.anyone().post(await invited(), GRACE);
      const grace = api.anyone(body.personal_api_key.value);
      const current = await grace.get('/api/organizations/@current/');
      expect(current.body).toMatchObject({ id: owner.organizationId, membership_level: 1 });
      expect((await grace.get('/api/projects/@current/')).body.id).toBe(owner.projectId);
    });

    it('uses the invite up, with the others to the address in this organization (SIGN-12)', async () => {
      const elsewhere = await api.owner();
      const path = await invited();
      const other = await invited({ target_email: email.toUpperCase() }, elsewhere);
      await api.anyone().post(path, GRACE);
      expect((await owner.get(owner.path('invites/'))).body.count).toBe(0);
      expect(await api.anyone().get(path)).toEqual(UNKNOWN);
      expect(await api.anyone().post(path, GRACE)).toEqual(UNKNOWN);
      expect((await api.anyone().get(other)).status).toBe(200);
    });

    it('needs a first name, once the invite is known to be good (SIGN-09)', async () => {
      const path = await invited();
      const cases: [unknown, string | null, string][] = [
        [undefined, 'first_name', 'required'],
        [{}, 'first_name', 'required'],
        [{ first_name: null }, 'first_name', 'null'],
        [{ first_name: '  ' }, 'first_name', 'blank'],
        [{ first_name: 'x'.repeat(151) }, 'first_name', 'max_length'],
        [{ first_name: 'a\0' }, 'first_name', 'null_characters_not_allowed'],
        [{ first_name: 'Grace', last_name: null }, 'last_name', 'null'],
        [{ first_name: 'Grace', last_name: 5 }, 'last_name', 'invalid_input'],
        [{ first_name: 'Grace', last_name: 'x'.repeat(151) }, 'last_name', 'max_length'],
        [[], null, 'invalid_input'],
        ['Grace', null, 'invalid_input'],
      ];
      for (const [body, attr, code] of cases) {
        expect(await api.anyone().post(path, body)).toEqual(refusal(400, code, expect.any(String), attr));
      }
      expect(await accounts()).toEqual([]);
      const answer = await api.anyone().post(path, { first_name: ' Grace ' });
      expect(answer.body.user).toMatchObject({ first_name: 'Grace', last_name: '' });
    });

    it('is for addresses without an account (SIGN-06)', async () => {
      const { path, guest } = await guestWithInvite();
      expect(await api.anyone().post(path, GRACE)).toEqual(ACCOUNT_EXISTS);
      await api.rows('UPDATE users SET is_active = false WHERE id = $1', [guest.user.id]);
      expect(await api.anyone().post(path, GRACE)).toEqual(ACCOUNT_EXISTS);
      expect(await accounts()).toHaveLength(1);
      expect(await members()).toHaveLength(1);
    });

    it('is not for addresses of a domain whose owner enforces SSO (SIGN-15)', async () => {
      const domain = `sso-${people}.example.com`;
      email = `grace@${domain.toUpperCase()}`;
      const path = await invited();
      await api.rows(
        `INSERT INTO organization_domains (id, organization_id, domain, verification_challenge,
                                           jit_provisioning_enabled, sso_enforcement)
         VALUES (gen_random_uuid(), $1, $2, 'challenge', false, 'github')`,
        [owner.organizationId, domain],
      );
      const post = () => api.anyone().post(path, {});
      expect((await post()).body.code).toBe('required');
      await api.rows('UPDATE organization_domains SET verified_at = now() WHERE domain = $1', [domain]);
      expect(await post()).toEqual(refusal(400, 'sso_enforced', expect.stringContaining('SSO')));
      expect((await api.anyone().get(path)).status).toBe(200);
      await api.rows("UPDATE organization_domains SET sso_enforcement = '' WHERE domain = $1", [domain]);
      expect((await api.anyone().post(path, GRACE)).status).toBe(201);
    });

    it('lets one of many acceptances at once win', async () => {
      const path = await invited();
      const answers = await Promise.all(Array.from({ length: 20 }, () => api.anyone().post(path, GRACE)));
      expect(statuses(answers)).toEqual({ 201: 1, 400: 19 });
      for (const answer of answers) if (answer.status === 400) expect(answer).toEqual(UNKNOWN);
      expect(await accounts()).toHaveLength(1);
      expect(await members()).toHaveLength(2);
    });

    it('makes one account when invites of many organizations are accepted at once', async () => {
      const owners = await Promise.all(Array.from({ length: 8 }, () => api.owner()));
      const paths = await Promise.all(owners.map((by) => invited({}, by)));
      const answers = await Promise.all(paths.map((path) => api.anyone().post(path, GRACE)));
      expect(statuses(answers)).toEqual({ 201: 1, 400: 7 });
      for (const answer of answers) if (answer.status === 400) expect(answer).toEqual(ACCOUNT_EXISTS);
      expect(await accounts()).toHaveLength(1);
    });

    it('is decided by one invite or the next, when they cross', async () => {
      for (let round = 0; round < 5; round += 1) {
        email = `grace-${people}-${round}@example.com`;
        const path = await invited();
        const [accepted, invitedAgain, removed] = await Promise.all([
          api.anyone().post(path, GRACE),
          owner.post(owner.path('invites/'), { target_email: email, level: Level.Admin }),
          owner.patch(owner.path('members/@me/'), {}),
        ]);
        expect(removed.status).toBe(200);
        // Either the account was first, and the address belongs already; or the new invite, and the old is gone.
        expect([accepted.status, invitedAgain.status].sort()).toEqual([201, 400]);
        const { count } = (await owner.get(owner.path('invites/'))).body;
        expect(count).toBe(invitedAgain.status === 201 ? 1 : 0);
        await api.rows('DELETE FROM organization_invites WHERE organization_id = $1', [owner.organizationId]);
      }
    });

    it('leaves nothing behind when it fails half-way', async () => {
      const path = await invited();
      const identity = api.app.get(IdentityService);
      const failing = jest.spyOn(identity, 'issueAndReveal').mockRejectedValueOnce(new NotFound());
      expect((await api.anyone().post(path, GRACE)).status).toBe(404);
      failing.mockRestore();
      expect(await accounts()).toEqual([]);
      expect(await members()).toHaveLength(1);
      expect((await api.anyone().post(path, GRACE)).status).toBe(201);
    });
  });

  describe('with a key', () => {
    it('joins as the user of the key, who gets no other (SIGN-11)', async () => {
      const { path, guest } = await guestWithInvite({ level: 8 });
      expect((await guest.get(path)).status).toBe(200);
      const answer = await guest.post(path, { first_name: 5, last_name: null });
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({
        user: { id: guest.user.id, first_name: 'Olive' },
        organization: { id: owner.organizationId },
        personal_api_key: null,
      });
      expect(await members()).toContainEqual([guest.user.email, 8]);
      expect((await guest.get('/api/organizations/@current/')).body.id).toBe(owner.organizationId);
      expect((await guest.get('/api/organizations/')).body.count).toBe(2);
      expect(await guest.post(path)).toEqual(UNKNOWN);
      expect(
        await api.rows('SELECT FROM personal_api_keys WHERE user_id = $1', [guest.user.id]),
      ).toHaveLength(1);
    });

    it('is for the invited address alone (SIGN-04), told before expiry', async () => {
      const path = await invited();
      const stranger = await api.owner();
      for (const caller of [owner, stranger]) {
        expect(await caller.get(path)).toEqual(OTHER_RECIPIENT);
        expect(await caller.post(path, GRACE)).toEqual(OTHER_RECIPIENT);
      }
      api.clock.advance({ days: 4 });
      expect(await stranger.post(path)).toEqual(OTHER_RECIPIENT);
      expect(await members()).toHaveLength(1);
    });

    it('refuses expired invites (SIGN-05)', async () => {
      const { path, guest } = await guestWithInvite();
      api.clock.advance({ days: 4 });
      expect(await guest.post(path)).toEqual(EXPIRED);
    });

    it('refuses keys that are not valid, rather than to go on without', async () => {
      const { path, guest } = await guestWithInvite();
      const expired = await api.as(guest, { expiresAt: new Date(0) });
      const failed = (detail: unknown) => refusal(401, 'authentication_failed', detail);
      for (const method of ['GET', 'POST']) {
        expect(await api.anyone('phx_unknown').request(method, path)).toEqual(failed(expect.any(String)));
        expect(await expired.request(method, path)).toEqual(failed(expect.stringContaining('expired')));
        for (const Authorization of ['Bearer', 'Bearer a b', 'bearer x', 'Basic eDp5', '']) {
          const answer = await api.anyone().request(method, path, { headers: { Authorization } });
          expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
        }
      }
      await api.rows('UPDATE users SET is_active = false WHERE id = $1', [guest.user.id]);
      expect((await guest.post(path)).status).toBe(401);
      expect(await members()).toHaveLength(1);
    });

    it('joins many organizations at once', async () => {
      const { guest } = await guestWithInvite();
      const owners = await Promise.all(Array.from({ length: 8 }, () => api.owner()));
      const paths = await Promise.all(owners.map((by) => invited({}, by)));
      const answers = await Promise.all(paths.map((path) => guest.post(path)));
      expect(statuses(answers)).toEqual({ 201: 8 });
      expect((await guest.get('/api/organizations/')).body.count).toBe(9);
    });

    it('lets one of many acceptances at once win', async () => {
      const { path, guest } = await guestWithInvite();
      const answers = await Promise.all(Array.from({ length: 20 }, () => guest.post(path)));
      expect(statuses(answers)).toEqual({ 201: 1, 400: 19 });
      expect(await members()).toHaveLength(2);
    });
  });

  it('documents that a key may be sent and need not', async () => {
    const document = (await api.anyone().get('/api/schema/')).body;
    for (const method of ['get', 'post']) {
      const operation = document.paths['/api/signup/{secret}/'][method];
      expect(operation.security).toEqual(expect.arrayContaining([{ personalApiKey: [] }, {}]));
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '401']));
    }
    expect(document.paths['/api/signup/{secret}/'].post.requestBody.required).toBe(false);
  });

  it('has no other methods', async () => {
    const path = await invited();
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const answer = await api.anyone().request(method, path);
      expect(answer).toEqual(refusal(405, 'method_not_allowed', `Method "${method}" not allowed.`));
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
    }
  });

  /** Somebody with an account and an organization of their own, and an invite to another, in another case. */
  async function guestWithInvite(body: object = {}) {
    const guest = await api.owner();
    email = guest.user.email;
    return { guest, path: await invited({ target_email: email.toUpperCase(), ...body }) };
  }
});
