import { Level } from '../../src/shared/domain/level';
import { type Person, TestApi } from '../support/api';
import type { Answer, Client } from '../support/client';
import { NOT_FOUND, refusal } from '../support/matchers';

const ME = '/api/users/@me/';
const LIST = '/api/organizations/';
const NOBODY = '0195b1f4-7c1c-7000-8000-0123456789ab';

const NO_KEY = refusal(401, 'not_authenticated', 'Authentication credentials were not provided.');
const failed = (detail: string) => refusal(401, 'authentication_failed', detail);
const UNKNOWN = failed('Personal API key found in request Authorization header is invalid.');
const forbidden = (detail: string) => refusal(403, 'permission_denied', detail);
const outOfScope = (scope: string) => forbidden(`API key missing required scope '${scope}'`);
const OTHER_ORGANIZATION = (id: string) =>
  forbidden(`API key does not have access to the requested organization: ID ${id}.`);
const PROJECTS_ONLY = forbidden(
  'API keys with scoped projects are only supported on project-based endpoints.',
);
const LEVEL_TOO_LOW = forbidden('Your organization access level is insufficient.');

describe('Authentication', () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
  });
  afterEach(() => api?.clock.reset());
  afterAll(() => api?.stop());

  const withHeader = (value: string, path = LIST) =>
    api.anyone().get(path, { headers: { Authorization: value } });
  const keyOf = ({ key }: Client) => key ?? '';
  const refusedWith = (answer: Answer, expected: unknown) => {
    expect(answer).toEqual(expected);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  };

  describe('the header', () => {
    it('carries a key (AUTH-01)', async () => {
      const answer = await withHeader(`Bearer ${owner.key}`);
      expect([answer.status, answer.body.results[0].id]).toEqual([200, owner.organizationId]);
      expect((await withHeader(`Bearer ${owner.key}`, ME)).body.email).toBe(owner.user.email);
    });

    it('may have blanks around the key (AUTH-02)', async () => {
      for (const value of [`Bearer  ${owner.key}`, `Bearer    ${owner.key}   `, ` Bearer ${owner.key} `]) {
        expect((await withHeader(value)).status).toBe(200);
      }
    });

    it('is missing (ERR-09, ERR-10)', async () => {
      for (const [method, path] of [
        ['GET', LIST],
        ['POST', LIST],
        ['PATCH', owner.path('')],
        ['DELETE', `/api/organizations/${NOBODY}/`],
        ['GET', ME],
        ['GET', '/api/projects/'],
      ] as const) {
        refusedWith(await api.anyone().request(method, path), NO_KEY);
      }
      const head = await api.anyone().request('HEAD', LIST);
      expect([head.status, head.text, head.headers.get('www-authenticate')]).toEqual([401, '', 'Bearer']);
    });

    it.each([
      ['no key', () => 'Bearer'],
      ['blanks for a key', () => 'Bearer   '],
      ['two keys', () => `Bearer ${owner.key} ${owner.key}`],
      ['a key alone', () => keyOf(owner)],
      ['a lower-case scheme (AUTH-06)', () => `bearer ${owner.key}`],
      ['an upper-case scheme', () => `BEARER ${owner.key}`],
      ['no blank', () => `Bearer${owner.key}`],
      ['a colon', () => `Bearer: ${owner.key}`],
      ['another scheme', () => `Token ${owner.key}`],
      ['Basic', () => `Basic ${Buffer.from(`${owner.key}:`).toString('base64')}`],
    ])('has no credentials with %s', async (_, value) => {
      refusedWith(await withHeader(value()), NO_KEY);
    });

    it.each([
      ['another key', () => `phx_${'0'.repeat(47)}`],
      ['a part of the key', () => keyOf(owner).slice(0, -1)],
      ['more than the key', () => `${owner.key}0`],
      ['the key in other case', () => keyOf(owner).toLowerCase()],
      ['the mask of the key', () => `${keyOf(owner).slice(0, 4)}...${keyOf(owner).slice(-4)}`],
      ['quotes', () => `"${owner.key}"`],
      ['SQL', () => "'OR''='"],
      ['a very long key', () => 'x'.repeat(8000)],
      ['other letters', () => 'clé'],
    ])('has an unknown key with %s (AUTH-04)', async (_, value) => {
      refusedWith(await withHeader(`Bearer ${value()}`), UNKNOWN);
    });

    it('is the only place for a key (D10)', async () => {
      refusedWith(await api.anyone().get(`${LIST}?personal_api_key=${owner.key}`), NO_KEY);
      refusedWith(await api.anyone().get(`${LIST}?access_token=${owner.key}`), NO_KEY);
      for (const field of ['personal_api_key', 'access_token', 'token']) {
        refusedWith(await api.anyone().post(LIST, { name: 'x', [field]: owner.key }), NO_KEY);
      }
      const wrong = { headers: { Authorization: 'Bearer wrong' } };
      refusedWith(await api.anyone().get(`${LIST}?personal_api_key=${owner.key}`, wrong), UNKNOWN);
      const cookie = { headers: { Cookie: `personal_api_key=${owner.key}`, 'X-Api-Key': keyOf(owner) } };
      refusedWith(await api.anyone().get(LIST, cookie), NO_KEY);
    });
  });

  describe('a key', () => {
    it('works until it expires', async () => {
      const expiresAt = new Date(api.clock.now().getTime() + 3_600_000);
      const person = await api.as(owner, { expiresAt });
      api.clock.advance({ minutes: 59 });
      expect((await person.get(LIST)).status).toBe(200);
      api.clock.advance({ minutes: 2 });
      refusedWith(
        await person.get(LIST),
        failed('Personal API key found in request Authorization header has expired.'),
      );
    });

    it('stops working when it is deleted, at once and on every process (D11)', async () => {
      // A second server on the same database.
      const second = await TestApi.start({ DATABASE_URL: api.databaseUrl });
      try {
        const person = await api.as(owner, {});
        const there = second.anyone(person.key);
        expect((await there.get(LIST)).status).toBe(200);
        expect((await person.get(LIST)).status).toBe(200);
        expect((await person.delete('/api/personal_api_keys/@current/')).status).toBe(204);
        refusedWith(await there.get(LIST), UNKNOWN);
        refusedWith(await person.get(LIST), UNKNOWN);
      } finally {
        await second.stop();
      }
    });

    it('stops working with its user, deactivated or removed (AUTH-05, D11)', async () => {
      const person = await api.member(owner);
      const activate = (active: boolean) =>
        api.rows('UPDATE users SET is_active = $2 WHERE id = $1', [person.user.id, active]);
      await activate(false);
      refusedWith(await person.get(LIST), failed('The user of this personal API key is deactivated.'));
      await activate(true);
      expect((await person.get(LIST)).status).toBe(200);
      await api.rows('DELETE FROM users WHERE id = $1', [person.user.id]);
      refusedWith(await person.get(LIST), UNKNOWN);
    });

    it('is stored as a hash alone (D11)', async () => {
      const rows = await api.rows<{ row: string }>('SELECT to_json(k)::text AS row FROM personal_api_keys k');
      expect(rows.some(({ row }) => row.includes(keyOf(owner)))).toBe(false);
    });

    it('notes its use, at most once an hour (AUTH-07)', async () => {
      const person = await api.as(owner, {});
      const lastUse = async () => {
        const [row] = await api.rows<{ last_used_at: Date | null }>(
          'SELECT last_used_at FROM personal_api_keys WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
          [owner.user.id],
        );
        return row?.last_used_at?.getTime() ?? null;
      };
      expect(await lastUse()).toBeNull();
      await person.get(LIST);
      const first = (await lastUse()) ?? 0;
      expect(Math.abs(first - api.clock.now().getTime())).toBeLessThan(10_000);
      api.clock.advance({ minutes: 59 });
      await person.get(LIST);
      expect(await lastUse()).toBe(first);
      api.clock.advance({ minutes: 2 });
      await Promise.all([person.get(LIST), person.get(LIST), person.get(LIST)]);
      expect(((await lastUse()) ?? 0) - first).toBeGreaterThan(3_600_000);
    });

    it('is told from every other that comes at the same time', async () => {
      const people = await Promise.all(Array.from({ length: 15 }, () => api.owner()));
      const answers = await Promise.all(
        people.flatMap((person) => [person.get(ME), person.get(LIST), person.get(person.path(''))]),
      );
      for (const [index, person] of people.entries()) {
        const [me, list, own] = answers.slice(index * 3);
        expect(me?.body.email).toBe(person.user.email);
        expect(list?.body.results.map(({ id }: { id: string }) => id)).toEqual([person.organizationId]);
        expect(own?.body.id).toBe(person.organizationId);
      }
    });
  });

  describe('a scope', () => {
    const asks = async (scopes: string[]) => {
      const caller = await api.as(owner, { scopes });
      return [await caller.get(owner.path('')), await caller.patch(owner.path(''), {})] as const;
    };

    it.each([
      [['*']],
      [['organization:write']],
      [['action:read', 'organization:write']],
      [['organization:read', '*']],
    ])('%j reads and writes (AUTH-09, AUTH-10)', async (scopes) => {
      const [read, write] = await asks(scopes);
      expect([read.status, write.status]).toEqual([200, 200]);
    });

    it('of reading only reads (AUTH-09)', async () => {
      const [read, write] = await asks(['organization:read']);
      expect(read.status).toBe(200);
      expect(write).toEqual(outOfScope('organization:write'));
    });

    it.each([
      [['action:write']],
      [['organization_member:write']],
      [['project:read', 'plugin:write', 'batch_export:write', 'user:write', 'personal_api_key:write']],
      [[]],
    ])('%j does neither (AUTH-08)', async (scopes) => {
      const [read, write] = await asks(scopes);
      expect(read).toEqual(outOfScope('organization:read'));
      expect(write).toEqual(outOfScope('organization:write'));
      expect(read.headers.get('www-authenticate')).toBeNull();
    });

    it('is not needed where any key will do', async () => {
      const caller = await api.as(owner, { scopes: [] });
      expect((await caller.get(ME)).status).toBe(200);
      expect((await caller.get('/api/projects/')).status).toBe(200);
    });
  });
});

describe('Tenancy', () => {
  let api: TestApi;
  let owner: Person;
  let stranger: Person;
  let domainId: string;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
    stranger = await api.owner();
    domainId = (await owner.post(owner.path('domains/'), { domain: 'example.com' })).body.id;
  });
  afterAll(() => api?.stop());

  /** The operations on an organization and in it, each with a body that would do. */
  const operationsIn = (organization: string) =>
    (
      [
        ['GET', ''],
        ['PATCH', '', { name: 'Taken over' }],
        ['PUT', '', { name: 'Taken over' }],
        ['DELETE', ''],
        ['GET', 'domains/'],
        ['POST', 'domains/', { domain: 'taken.example.com' }],
        ['GET', `domains/${domainId}/`],
        ['PATCH', `domains/${domainId}/`, { domain: 'taken.example.com' }],
        ['DELETE', `domains/${domainId}/`],
        ['POST', `domains/${domainId}/verify/`],
        ['GET', 'members/'],
        ['GET', 'projects/'],
      ] as const
    ).map(([method, rest, body]) => [method, `/api/organizations/${organization}/${rest}`, body] as const);

  it('hides the organizations of others as if they were not there (D13)', async () => {
    const before = (await owner.get(owner.path(''))).body;
    const theirs = operationsIn(owner.organizationId);
    const nowhere = operationsIn(NOBODY);
    for (const [index, [method, path, body]] of theirs.entries()) {
      const hidden = await stranger.request(method, path, { body });
      expect(hidden).toEqual(NOT_FOUND());
      const unknown = await stranger.request(method, nowhere[index]?.[1] ?? '', { body });
      expect([unknown.status, unknown.text]).toEqual([hidden.status, hidden.text]);
      const names = (answer: Answer) => [...answer.headers.keys()].sort();
      expect(names(unknown)).toEqual(names(hidden));
    }
    expect((await owner.get(owner.path(''))).body).toEqual(before);
    expect((await owner.get(owner.path('domains/'))).body.count).toBe(1);
  });

  it('hides the projects of others as if they were not there (D13)', async () => {
    for (const rest of ['', 'actions/']) {
      const hidden = await stranger.get(owner.projectPath(rest));
      expect(hidden).toEqual(NOT_FOUND());
      for (const id of ['2147483647', '2147483648', '0', '-1', 'x', '1.0', NOBODY]) {
        const unknown = await stranger.get(`/api/projects/${id}/${rest}`);
        expect([unknown.status, unknown.text]).toEqual([hidden.status, hidden.text]);
      }
    }
  });

  it.each(['x', '1', 'null', '@me', '@CURRENT', `${NOBODY}x`, NOBODY.replaceAll('-', ''), `{${NOBODY}}`])(
    'finds no organization under %s (ORG-27)',
    async (id) => {
      for (const [method, path, body] of operationsIn(id)) {
        expect(await owner.request(method, path, { body })).toEqual(NOT_FOUND());
      }
    },
  );

  it('takes the id of an organization in any case', async () => {
    const answer = await owner.get(`/api/organizations/${owner.organizationId.toUpperCase()}/`);
    expect(answer.body.id).toBe(owner.organizationId);
  });

  it('ends with the membership, at once', async () => {
    const member = await api.member(owner);
    expect((await member.get(owner.path(''))).status).toBe(200);
    await api.rows('DELETE FROM organization_memberships WHERE user_id = $1', [member.user.id]);
    expect(await member.get(owner.path(''))).toEqual(NOT_FOUND());
    expect(await member.get(owner.projectPath('actions/'))).toEqual(NOT_FOUND());
  });

  describe('@current (D14)', () => {
    it('stands for the current organization and project', async () => {
      const person = await api.owner();
      expect((await person.get('/api/organizations/@current/')).body.id).toBe(person.organizationId);
      expect((await person.get('/api/organizations/@current/domains/')).status).toBe(200);
      expect((await person.get('/api/projects/@current/actions/')).status).toBe(200);
      const { body: second } = await person.post(LIST, { name: 'Second' });
      expect((await person.get('/api/organizations/@current/')).body.id).toBe(second.id);
    });

    it('stands for nothing where there is none (AUTH-23)', async () => {
      const person = await api.owner();
      await person.delete(person.path(''));
      const missing = (detail: string) => refusal(404, 'not_found', detail);
      expect(await person.get('/api/organizations/@current/')).toEqual(
        missing('Current organization not found.'),
      );
      expect(await person.get('/api/organizations/@current/domains/')).toEqual(
        missing('Organization not found.'),
      );
      expect(await person.get('/api/projects/@current/actions/')).toEqual(missing('Project not found.'));
    });
  });

  describe('a key for some organizations', () => {
    it('reaches no other (AUTH-17), and lists them alone (AUTH-19)', async () => {
      const person = await api.owner();
      const { body: second } = await person.post(LIST, { name: 'Second' });
      const key = await api.as(person, { scopedOrganizations: [second.id] });
      for (const [method, path, body] of operationsIn(person.organizationId)) {
        expect(await key.request(method, path, { body })).toEqual(OTHER_ORGANIZATION(person.organizationId));
      }
      expect(await key.get(person.projectPath('actions/'))).toEqual(
        OTHER_ORGANIZATION(person.organizationId),
      );
      expect((await key.get(`${LIST}${second.id}/`)).status).toBe(200);
      expect((await key.get(`/api/projects/${second.teams[0].id}/actions/`)).status).toBe(200);
      expect((await key.get(LIST)).body).toMatchObject({ count: 1, results: [{ id: second.id }] });
      // Not a member is not a member, whatever the key is for.
      expect(await key.get(owner.path(''))).toEqual(NOT_FOUND());
      expect((await person.get(LIST)).body.count).toBe(2);
    });

    it('follows @current and is refused there too', async () => {
      const person = await api.owner();
      const first = person.organizationId;
      const { body: second } = await person.post(LIST, { name: 'Second' });
      const key = await api.as(person, { scopedOrganizations: [first] });
      expect(await key.get('/api/organizations/@current/')).toEqual(OTHER_ORGANIZATION(second.id));
    });

    it('of which its user is no longer a member reaches and lists nothing', async () => {
      const person = await api.owner();
      const key = await api.as(person, { scopedOrganizations: [stranger.organizationId] });
      expect((await key.get(LIST)).body).toMatchObject({ count: 0, results: [] });
      expect(await key.get(stranger.path(''))).toEqual(NOT_FOUND());
    });

    it('may create one (ORG-26), and see who it is (AUTH-20)', async () => {
      const person = await api.owner();
      const key = await api.as(person, { scopedOrganizations: [person.organizationId] });
      expect((await key.post(LIST, { name: 'Another' })).status).toBe(201);
      expect((await key.get(ME)).status).toBe(200);
    });
  });

  describe('a key for some projects (AUTH-18)', () => {
    it('reaches no organization, and no other project', async () => {
      const person = await api.owner();
      const { body: other } = await person.post('/api/projects/', { name: 'Other' });
      const key = await api.as(person, { scopedTeams: [other.id] });
      for (const [method, path, body] of operationsIn(person.organizationId)) {
        expect(await key.request(method, path, { body })).toEqual(PROJECTS_ONLY);
      }
      expect(await key.get(LIST)).toEqual(PROJECTS_ONLY);
      expect(await key.post(LIST, { name: 'x' })).toEqual(PROJECTS_ONLY);
      expect(await key.post(LIST, { name: 7 })).toEqual(PROJECTS_ONLY);
      expect(await key.post(LIST, undefined, { raw: '{' })).toEqual(PROJECTS_ONLY);
      expect((await key.get(`/api/projects/${other.id}/actions/`)).status).toBe(200);
      expect(await key.get(person.projectPath('actions/'))).toEqual(
        forbidden(`API key does not have access to the requested project: ID ${person.projectId}.`),
      );
      expect(await key.get(owner.projectPath('actions/'))).toEqual(NOT_FOUND());
      expect(await key.get(owner.path(''))).toEqual(NOT_FOUND());
      expect((await key.get(ME)).status).toBe(200);
    });
  });

  describe('the order of checks (D13): each is told before the next', () => {
    const bad = { raw: '{"domain": ' };
    const huge = { raw: JSON.stringify({ domain: 'x'.repeat(1_100_000) }) };
    const text = { raw: 'x', headers: { 'Content-Type': 'text/plain' } };
    const wrong = { body: { domain: 7 } };
    const bodies = [bad, huge, text, wrong];
    const inOwn = (rest = `${domainId}/`) => owner.path(`domains/${rest}`);
    const elsewhere = () => [
      `/api/organizations/${NOBODY}/domains/${domainId}/`,
      stranger.path(`domains/${NOBODY}/`),
    ];

    it('key, then scope, membership, level and body', async () => {
      for (const path of [inOwn(), inOwn('x/'), ...elsewhere()]) {
        for (const body of bodies) {
          expect(await api.anyone().request('PATCH', path, body)).toEqual(NO_KEY);
          expect(await api.anyone('wrong').request('PATCH', path, body)).toEqual(UNKNOWN);
        }
      }
    });

    it('scope, then membership, level and body', async () => {
      const member = await api.member(owner, Level.Member, { scopes: ['organization:read'] });
      const reader = await api.as(owner, { scopes: ['organization:read', 'action:write'] });
      for (const caller of [member, reader]) {
        for (const path of [inOwn(), inOwn('x/'), ...elsewhere()]) {
          for (const body of bodies) {
            expect(await caller.request('PATCH', path, body)).toEqual(outOfScope('organization:write'));
          }
        }
      }
    });

    it('membership, then the reach of the key, level and body', async () => {
      const member = await api.member(owner);
      const restricted = await api.as(member, { scopedOrganizations: [owner.organizationId] });
      for (const caller of [member, restricted]) {
        for (const path of elsewhere()) {
          for (const body of bodies) expect(await caller.request('PATCH', path, body)).toEqual(NOT_FOUND());
        }
      }
    });

    it('the reach of the key, then level and body', async () => {
      const member = await api.member(owner);
      const restricted = await api.as(member, { scopedOrganizations: [NOBODY] });
      for (const body of bodies) {
        expect(await restricted.request('PATCH', inOwn(), body)).toEqual(
          OTHER_ORGANIZATION(owner.organizationId),
        );
      }
    });

    it('level, then what the path names within the organization, and body', async () => {
      const member = await api.member(owner);
      for (const path of [inOwn(), inOwn('x/'), inOwn(`${NOBODY}/`)]) {
        for (const body of bodies) {
          expect(await member.request('PATCH', path, body)).toEqual(LEVEL_TOO_LOW);
        }
      }
    });

    it('and the body at last', async () => {
      const answers = [];
      for (const body of bodies) answers.push((await owner.request('PATCH', inOwn(), body)).status);
      expect(answers).toEqual([400, 413, 415, 400]);
    });
  });
});
