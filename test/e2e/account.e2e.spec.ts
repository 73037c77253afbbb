import { Level } from '../../src/shared/domain/level';
import { type Person, TestApi } from '../support/api';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';
import { meanwhile } from '../support/meanwhile';

const ME = '/api/users/@me/';
const NOBODY = '0195b1f4-7c1c-7000-8000-0123456789ab';
const forbidden = (detail: string) => refusal(403, 'permission_denied', detail);
const missing = (attr: string, id: string | number) =>
  refusal(400, 'does_not_exist', `Object with id=${id} does not exist.`, attr);

describe('The account', () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  beforeEach(async () => {
    owner = await api.owner();
  });
  afterAll(() => api?.stop());

  const second = async () => {
    const { body } = await owner.post('/api/organizations/', { name: 'Second' });
    return { id: body.id as string, projectId: body.teams[0].id as number };
  };
  /** Where `@current` leads: as the account says, and as the guards have it. */
  const current = async (person: Person) => {
    const { organization, team } = (await person.get(ME)).body;
    const guards = [
      await person.get('/api/organizations/@current/'),
      await person.get('/api/projects/@current/'),
    ].map(({ body }) => body.id ?? null);
    expect(guards).toEqual([organization?.id ?? null, team?.id ?? null]);
    return guards;
  };

  it('shows the caller and where they belong (ME-01)', async () => {
    const { status, body } = await owner.get(ME);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual([
      'id',
      'uuid',
      'distinct_id',
      'first_name',
      'last_name',
      'email',
      'is_email_verified',
      'hedgehog_config',
      'date_joined',
      'last_login',
      'is_2fa_enabled',
      'has_social_auth',
      'has_password',
      'is_staff',
      'team',
      'organization',
      'organizations',
    ]);
    expect(body).toMatchObject({
      id: owner.user.id,
      uuid: owner.user.uuid,
      first_name: 'Olive',
      last_name: 'Owner',
      email: owner.user.email,
      is_email_verified: null,
      hedgehog_config: null,
      last_login: null,
      is_2fa_enabled: false,
      has_social_auth: false,
      has_password: false,
      is_staff: false,
    });
    const organization = (await owner.get(`/api/organizations/${owner.organizationId}/`)).body;
    expect(body.organization).toEqual(organization);
    expect(body.team).toEqual(organization.teams[0]);
    const { id, name, slug } = organization;
    expect(body.organizations).toEqual([{ id, name, slug, logo_media_id: null, membership_level: 15 }]);
  });

  it('lists the organizations in the order in which they were joined, with the own level', async () => {
    const host = await api.owner();
    const member = await api.member(host, Level.Admin);
    const own = (await member.post('/api/organizations/', { name: 'Own' })).body;
    const { organization, organizations } = (await member.get(ME)).body;
    expect(organizations).toMatchObject([
      { id: host.organizationId, membership_level: 8 },
      { id: own.id, membership_level: 15 },
    ]);
    expect(organization.id).toBe(own.id);
  });

  it('is shown to any key, whatever it is restricted to (AUTH-20, ME-02)', async () => {
    const other = await second();
    const all = (await owner.get(ME)).body;
    const restrictions = [
      { scopes: ['action:read'] },
      { scopes: ['*'], scopedOrganizations: [owner.organizationId] },
      { scopes: ['*'], scopedTeams: [owner.projectId] },
    ];
    for (const restriction of restrictions) {
      const caller = await api.as(owner, restriction);
      expect((await caller.get(ME)).body).toEqual(all);
    }
    expect(all.organization.id).toBe(other.id);
  });

  it('is each caller’s own, however many call at once', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => api.owner()));
    const callers = people.flatMap((person) => [person, api.anyone('phx_unknown'), person]);
    const answers = await Promise.all(callers.map((caller) => caller.get(ME)));
    expect(answers.map(({ body }) => body.uuid)).toEqual(
      people.flatMap(({ user }) => [user.uuid, undefined, user.uuid]),
    );
  });

  it('is the only one: others are not there', async () => {
    const member = await api.member(owner);
    for (const path of [owner.user.uuid, member.user.uuid, String(member.user.id), '@you', '']) {
      const url = `/api/users/${path}/`.replace('//', '/');
      expect(await owner.get(url)).toEqual(refusal(404, 'not_found', 'Endpoint not found.'));
      expect((await owner.patch(url, { first_name: 'Mine' })).status).toBe(404);
    }
    const answer = await owner.delete(ME);
    expect(answer).toEqual(refusal(405, 'method_not_allowed', 'Method "DELETE" not allowed.'));
    expect((await api.anyone().get(ME)).status).toBe(401);
  });

  it('changes its names', async () => {
    const before = (await owner.get(ME)).body;
    const changed = await owner.patch(ME, { ...before, first_name: ' Ada ', email: 'x@example.com', id: 7 });
    expect(changed).toMatchObject({ status: 200, body: { ...before, first_name: 'Ada' } });
    const put = await owner.put(ME, { first_name: 'Grace', last_name: '' });
    expect(put.body).toEqual({ ...before, first_name: 'Grace', last_name: '' });
    expect((await owner.put(ME, { first_name: 'Ida' })).body).toMatchObject({ last_name: '' });
    expect((await owner.patch(ME, {})).body).toMatchObject({ first_name: 'Ida', last_name: '' });
    const long = { first_name: '🦔'.repeat(150), last_name: '🦔'.repeat(150) };
    expect((await owner.patch(ME, long)).body).toMatchObject(long);
    expect(await owner.put(ME, { last_name: 'Hopper' })).toEqual(
      refusal(400, 'required', 'This field is required.', 'first_name'),
    );
  });

  it.each<[object, [string, string, string]]>([
    [{ first_name: '' }, ['blank', 'This field may not be blank.', 'first_name']],
    [{ first_name: null }, ['null', 'This field may not be null.', 'first_name']],
    [{ first_name: 7 }, ['invalid_input', 'Not a valid string.', 'first_name']],
    [
      { first_name: 'x'.repeat(151) },
      ['max_length', 'Ensure this field has no more than 150 characters.', 'first_name'],
    ],
    [{ last_name: null }, ['null', 'This field may not be null.', 'last_name']],
    [
      { last_name: 'x'.repeat(151) },
      ['max_length', 'Ensure this field has no more than 150 characters.', 'last_name'],
    ],
    [
      { set_current_organization: 'x' },
      ['invalid_input', 'Must be a valid UUID.', 'set_current_organization'],
    ],
    [{ set_current_organization: null }, ['null', 'This field may not be null.', 'set_current_organization']],
    [
      { set_current_organization: NOBODY },
      ['does_not_exist', `Object with id=${NOBODY} does not exist.`, 'set_current_organization'],
    ],
    [{ set_current_team: 'x' }, ['invalid_input', 'A valid integer is required.', 'set_current_team']],
    [{ set_current_team: null }, ['null', 'This field may not be null.', 'set_current_team']],
    [
      { set_current_team: 2_147_483_648 },
      ['max_value', 'Ensure this value is less than or equal to 2147483647.', 'set_current_team'],
    ],
    [
      { set_current_team: 2_147_483_647 },
      ['does_not_exist', 'Object with id=2147483647 does not exist.', 'set_current_team'],
    ],
  ])('does not change to %j', async (parts, [code, detail, attr]) => {
    const before = (await owner.get(ME)).body;
    for (const method of ['PATCH', 'PUT']) {
      const answer = await owner.request(method, ME, { body: { first_name: 'Ada', ...parts } });
      expect(answer).toEqual(refusal(400, code, detail, attr));
    }
    expect((await owner.get(ME)).body).toEqual(before);
  });

  describe('says where `@current` leads (D14)', () => {
    it('to another organization, and its oldest project', async () => {
      const other = await second();
      await owner.post('/api/projects/', { name: 'Newer' });
      expect(await current(owner)).toEqual([other.id, other.projectId]);
      const answer = await owner.patch(ME, { set_current_organization: owner.organizationId.toUpperCase() });
      expect(answer.body).toMatchObject({
        organization: { id: owner.organizationId },
        team: { id: owner.projectId },
      });
      expect(await current(owner)).toEqual([owner.organizationId, owner.projectId]);
      await owner.put(ME, { first_name: 'Ada', set_current_organization: other.id });
      expect(await current(owner)).toEqual([other.id, other.projectId]);
    });

    it('back to the oldest project when the organization is set once more', async () => {
      const newer = (await owner.post('/api/projects/', { name: 'Newer' })).body;
      await owner.patch(ME, { set_current_team: newer.id });
      expect(await current(owner)).toEqual([owner.organizationId, newer.id]);
      await owner.patch(ME, { set_current_organization: owner.organizationId });
      expect(await current(owner)).toEqual([owner.organizationId, owner.projectId]);
    });

    it('to another project, and its organization', async () => {
      const other = await second();
      const answer = await owner.patch(ME, { set_current_team: owner.projectId });
      expect(answer.body).toMatchObject({
        organization: { id: owner.organizationId },
        team: { id: owner.projectId },
      });
      expect(await current(owner)).toEqual([owner.organizationId, owner.projectId]);
      const both = { set_current_organization: other.id, set_current_team: other.projectId };
      expect((await owner.patch(ME, both)).status).toBe(200);
      expect(await current(owner)).toEqual([other.id, other.projectId]);
    });

    it('for all keys of the user, and for nobody else', async () => {
      const member = await api.member(owner);
      const newer = (await owner.post('/api/projects/', { name: 'Newer' })).body;
      const key = await api.as(owner, { scopes: ['organization:read', 'project:read'] });
      await owner.patch(ME, { set_current_team: newer.id });
      expect(await current(key)).toEqual([owner.organizationId, newer.id]);
      expect(await current(member)).toEqual([owner.organizationId, owner.projectId]);
    });

    it('not to two places at once', async () => {
      const other = await second();
      const both = {
        first_name: 'Ada',
        set_current_organization: owner.organizationId,
        set_current_team: other.projectId,
      };
      expect(await owner.patch(ME, both)).toEqual(
        refusal(
          400,
          'invalid_input',
          'The project is not in the organization that set_current_organization names.',
          'set_current_team',
        ),
      );
      expect((await owner.get(ME)).body).toMatchObject({
        first_name: 'Olive',
        team: { id: other.projectId },
      });
    });

    it('not to what is somebody else’s, which looks like nothing (ME-04, D13)', async () => {
      const stranger = await api.owner();
      const organization = { set_current_organization: stranger.organizationId };
      const team = { set_current_team: stranger.projectId };
      const noOrganization = missing('set_current_organization', stranger.organizationId);
      const noTeam = missing('set_current_team', stranger.projectId);
      expect(await owner.patch(ME, organization)).toEqual(noOrganization);
      expect(await owner.patch(ME, team)).toEqual(noTeam);
      expect(await owner.patch(ME, { ...organization, ...team })).toEqual(noOrganization);
      const own = { set_current_organization: owner.organizationId };
      expect(await owner.patch(ME, { ...own, ...team })).toEqual(noTeam);
      expect(await current(owner)).toEqual([owner.organizationId, owner.projectId]);
    });

    it('not out of the reach of a restricted key', async () => {
      const other = await second();
      const newer = (await owner.post('/api/projects/', { name: 'Newer' })).body;
      const toFirst = await api.as(owner, { scopedOrganizations: [owner.organizationId] });
      const outside = forbidden(
        `API key does not have access to the requested organization: ID ${other.id}.`,
      );
      expect(await toFirst.patch(ME, { set_current_organization: other.id })).toEqual(outside);
      expect(await toFirst.patch(ME, { set_current_team: other.projectId })).toEqual(outside);
      expect(await toFirst.put(ME, { first_name: 'Ada', set_current_team: newer.id })).toEqual(outside);
      expect((await toFirst.patch(ME, { set_current_organization: owner.organizationId })).status).toBe(200);

      const toOne = await api.as(owner, { scopedTeams: [other.projectId] });
      const ofProjects = forbidden(
        'API keys with scoped projects are only supported on project-based endpoints.',
      );
      expect(await toOne.patch(ME, { set_current_organization: other.id })).toEqual(ofProjects);
      expect(await toOne.patch(ME, { set_current_team: newer.id })).toEqual(
        forbidden(`API key does not have access to the requested project: ID ${newer.id}.`),
      );
      expect((await owner.get(ME)).body).toMatchObject({
        first_name: 'Olive',
        team: { id: owner.projectId },
      });
      expect((await toOne.patch(ME, { set_current_team: other.projectId })).status).toBe(200);
      expect((await toOne.patch(ME, { first_name: 'Ada' })).body.first_name).toBe('Ada');
    });

    it('to one of the organizations that are founded at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => owner.post('/api/organizations/', { name: `Number ${n}` })),
      );
      expect(statuses(answers)).toEqual({ 201: 20 });
      expect((await owner.get(ME)).body.organizations).toHaveLength(21);
      const [organization] = await current(owner);
      expect(answers.map(({ body }) => body.id)).toContain(organization);
    });

    it('to the organization joined first, when the current one is left', async () => {
      const other = await second();
      const host = await api.owner();
      await api.rows(
        `INSERT INTO organization_memberships VALUES
           (gen_random_uuid(), $1, $2, 1, now() - interval '1 year', now())`,
        [host.organizationId, owner.user.id],
      );
      expect(await current(owner)).toEqual([other.id, other.projectId]);
      await api.rows('DELETE FROM organization_memberships WHERE user_id = $1 AND organization_id = $2', [
        owner.user.id,
        other.id,
      ]);
      expect(await current(owner)).toEqual([host.organizationId, host.projectId]);
      expect((await owner.get(ME)).body.organizations).toHaveLength(2);
    });

    it('to the organization joined first, when the current one is deleted', async () => {
      const other = await second();
      await owner.delete(`/api/organizations/${other.id}/`);
      expect(await current(owner)).toEqual([owner.organizationId, owner.projectId]);
    });

    it('nowhere without an organization, and to no project without one', async () => {
      await owner.delete(`/api/projects/${owner.projectId}/`);
      expect(await current(owner)).toEqual([owner.organizationId, null]);
      expect((await owner.patch(ME, { set_current_organization: owner.organizationId })).body).toMatchObject({
        organization: { id: owner.organizationId },
        team: null,
      });
      await owner.delete(`/api/organizations/${owner.organizationId}/`);
      expect(await current(owner)).toEqual([null, null]);
      expect((await owner.get(ME)).body).toMatchObject({ team: null, organization: null, organizations: [] });
      expect(await owner.get('/api/organizations/@current/')).toEqual(
        refusal(404, 'not_found', 'Current organization not found.'),
      );
      expect(await owner.get(`/api/organizations/${owner.organizationId}/`)).toEqual(NOT_FOUND());
    });

    it('not to what is being deleted', async () => {
      const other = await second();
      await owner.patch(ME, { set_current_team: owner.projectId });
      const project = await meanwhile(api, 'DELETE FROM projects WHERE id = $1', [other.projectId], () =>
        owner.patch(ME, { first_name: 'Ada', set_current_team: other.projectId }),
      );
      expect(project).toEqual(missing('set_current_team', other.projectId));
      const organization = await meanwhile(api, 'DELETE FROM organizations WHERE id = $1', [other.id], () =>
        owner.patch(ME, { first_name: 'Ada', set_current_organization: other.id }),
      );
      expect(organization).toEqual(missing('set_current_organization', other.id));
      expect((await owner.get(ME)).body.first_name).toBe('Olive');
      expect(await current(owner)).toEqual([owner.organizationId, owner.projectId]);
    });

    it('somewhere that is there, whatever is deleted at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        const other = await second();
        await owner.patch(ME, { set_current_organization: owner.organizationId });
        const answers = await Promise.all([
          owner.patch(ME, { set_current_organization: other.id }),
          owner.delete(`/api/organizations/${other.id}/`),
          owner.patch(ME, { set_current_team: other.projectId }),
          owner.patch(ME, { set_current_team: owner.projectId }),
        ]);
        expect(answers.filter(({ status }) => ![200, 204, 400].includes(status))).toEqual([]);
        expect(await current(owner)).toEqual([owner.organizationId, owner.projectId]);
      }
    });
  });
});
