import { KeyAdministration, UserAdministration } from '../../src/identity/index';
import { Deactivation, MembershipService } from '../../src/membership/index';
import { OrganizationAdministration } from '../../src/organization/index';
import { Level } from '../../src/shared/domain/level';
import { type Person, TestApi } from '../support/api';

const ME = '/api/users/@me/';

/** The operator's services; `test/start/cli.spec.ts` shows the commands. */
describe('Administration', () => {
  let api: TestApi;
  let keys: KeyAdministration;
  let deactivation: Deactivation;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    keys = api.app.get(KeyAdministration);
    deactivation = api.app.get(Deactivation);
  });
  beforeEach(async () => {
    owner = await api.owner();
  });
  afterEach(() => api.clock.reset());
  afterAll(() => api.stop());

  const countKeys = async () =>
    (await api.rows('SELECT id FROM personal_api_keys WHERE user_id = $1', [owner.user.id])).length;
  const works = async (person: Person) => (await person.get(ME)).status === 200;

  describe('of keys', () => {
    it('makes one that may do more than any other of its user, since there is no calling key', async () => {
      const narrow = await api.owner({ scopes: ['action:read'] });
      const { value } = await keys.create(narrow.user.email, { label: 'All', scopes: ['*'] });
      expect((await api.anyone(value).get(narrow.path('members/'))).status).toBe(200);
    });

    it.each([
      ['a blank label', { label: '  ' }, 'label', 'blank'],
      ['a long label', { label: 'x'.repeat(41) }, 'label', 'max_length'],
      ['a label with NUL', { label: 'a\0b' }, 'label', 'null_characters_not_allowed'],
      ['no scope', { scopes: [] }, 'scopes', 'empty'],
      ['an unknown scope', { scopes: ['action:fly'] }, 'scopes', 'invalid_input'],
      ['a time in the past', { expiresAt: new Date('2020-01-01') }, 'expires_at', 'invalid_input'],
      [
        'no id of an organization',
        { scopedOrganizations: ['acme'] },
        'scoped_organizations',
        'invalid_input',
      ],
    ])('refuses %s, as the API does', async (_, asked, attr, code) => {
      const made = keys.create(owner.user.email, { label: 'X', scopes: ['*'], ...asked });
      await expect(made).rejects.toMatchObject({ attr, code });
      expect(await countKeys()).toBe(1);
    });

    it('refuses what the user does not belong to (KEY-08)', async () => {
      const stranger = await api.owner();
      const of = (more: object) => keys.create(owner.user.email, { label: 'X', scopes: ['*'], ...more });
      await expect(of({ scopedOrganizations: [stranger.organizationId] })).rejects.toMatchObject({
        attr: 'scoped_organizations',
      });
      await expect(of({ scopedTeams: [stranger.projectId] })).rejects.toMatchObject({ attr: 'scoped_teams' });
      expect(await countKeys()).toBe(1);
    });

    it('refuses a user too many, also at once (KEY-07)', async () => {
      await api.rows(
        `INSERT INTO personal_api_keys (id, user_id, label, value_hash, mask_value, scopes, scoped_organizations,
                                        scoped_teams, created_at)
         SELECT gen_random_uuid(), $1, 'Old', sha256(gen_random_uuid()::text::bytea), 'phx_...0000', '{*}', '{}',
                '{}', now()
           FROM generate_series(1, 95)`,
        [owner.user.id],
      );
      const all = await Promise.allSettled(
        Array.from({ length: 10 }, () => keys.create(owner.user.email, { label: 'X', scopes: ['*'] })),
      );
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
      expect(await countKeys()).toBe(100);
    });

    it('lists those that reach an organization', async () => {
      const other = await api.owner();
      const member = await api.member(owner);
      const project = await api.rows<{ id: number }>(
        `INSERT INTO projects (uuid, organization_id, api_token, name, timezone, created_at, updated_at)
         SELECT gen_random_uuid(), $1, 'phc_' || gen_random_uuid(), 'Second', 'UTC', now(), now() RETURNING id`,
        [other.organizationId],
      );
      const make = async (label: string, more: object) =>
        keys.create(member.user.email, { label, scopes: ['*'], ...more });
      await api.rows(
        `INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
         VALUES (gen_random_uuid(), $1, $2, 1, now(), now())`,
        [other.organizationId, member.user.id],
      );
      await make('both', {});
      await make('organization', { scopedOrganizations: [other.organizationId] });
      await make('project', { scopedTeams: [project[0]?.id] });
      const labels = async (organizationId: string | null, email: string | null = member.user.email) =>
        (await keys.list({ email, organizationId })).map(({ label }) => label);
      expect(await labels(other.organizationId)).toEqual(['project', 'organization', 'both', 'Test']);
      expect(await labels(owner.organizationId)).toEqual(['both', 'Test']);
      expect(await labels(null)).toHaveLength(4);
      expect(await labels(owner.organizationId, null)).toEqual(['both', 'Test', 'Test']);
      expect(await labels((await api.owner()).organizationId)).toEqual([]);
      await expect(labels(null, 'nobody@example.com')).rejects.toMatchObject({ kind: 'not_found' });
    });
  });

  describe('of users', () => {
    it('refuses a key for one who is deactivated', async () => {
      await deactivation.deactivate(owner.user.email, true);
      const made = keys.create(owner.user.email, { label: 'X', scopes: ['*'] });
      await expect(made).rejects.toMatchObject({ code: 'user_inactive' });
    });

    it('keeps organizations in the hands of an active owner (D19)', async () => {
      const second = await api.member(owner, Level.Owner);
      const admin = await api.member(owner, Level.Admin);
      await deactivation.deactivate(second.user.email, false);
      // Neither an owner who is deactivated counts, nor an administrator.
      await expect(deactivation.deactivate(owner.user.email, false)).rejects.toMatchObject({
        code: 'last_owner',
      });
      expect(await works(owner)).toBe(true);
      expect(await works(second)).toBe(false);
      await deactivation.deactivate(admin.user.email, false);
      await api.app.get(UserAdministration).activate(second.user.email);
      await deactivation.deactivate(owner.user.email, false);
      expect(await works(owner)).toBe(false);
      await deactivation.deactivate(second.user.email, true);
      expect(await works(second)).toBe(false);
    });

    it('keeps one of two owners who are deactivated at once', async () => {
      const second = await api.member(owner, Level.Owner);
      const both = await Promise.allSettled(
        [owner, second].map(({ user }) => deactivation.deactivate(user.email, false)),
      );
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });

    it('withdraws the invites of one who is deactivated, and nobody else’s', async () => {
      const admin = await api.member(owner, Level.Admin);
      const inviting = async (by: Person, email: string) => {
        const { headers } = await by.post(by.path('invites/'), { target_email: email });
        const [, secret] = /\/signup\/(\w+)\/>/.exec(headers.get('link') ?? '') ?? [];
        return `/api/signup/${secret}/`;
      };
      const [gone, kept] = [
        await inviting(admin, 'one@example.com'),
        await inviting(owner, 'two@example.com'),
      ];
      await deactivation.deactivate(admin.user.email, false);
      expect((await api.anyone().get(gone)).status).toBe(400);
      expect((await api.anyone().get(kept)).status).toBe(200);
    });

    it('lets a deactivated administrator change nothing, whose request was let in before', async () => {
      const admin = await api.member(owner, Level.Admin);
      const member = await api.member(owner);
      // As the guards leave it: the caller is known, and the user has ended meanwhile.
      await deactivation.deactivate(admin.user.email, false);
      const edit = {
        organizationId: owner.organizationId,
        editorId: admin.user.id,
        userUuid: member.user.uuid,
      };
      const changed = api.app.get(MembershipService).changeLevel(edit, Level.Admin);
      await expect(changed).rejects.toMatchObject({ kind: 'not_found' });
    });
  });

  it('of organizations refuses metadata that is no object, or that cannot be stored', async () => {
    const organizations = api.app.get(OrganizationAdministration);
    const deep = Array.from({ length: 25 }).reduce<object>((inner) => ({ inner }), {});
    for (const wrong of [null, [], 'gold', 3, { a: '\0' }, { '\ud800': 1 }, deep]) {
      await expect(organizations.setMetadata(owner.organizationId, wrong)).rejects.toMatchObject({
        attr: 'metadata',
      });
    }
    await expect(organizations.setMetadata('nowhere', {})).rejects.toMatchObject({ kind: 'not_found' });
  });
});
