import { Client } from 'pg';
import { ActivityLog } from '../../src/activity/index';
import { KeyAdministration, UserAdministration } from '../../src/identity/index';
import { Level } from '../../src/shared/domain/level';
import { Transaction } from '../../src/shared/persistence/transaction';
import { type Person, TestApi } from '../support/api';
import { DnsServer } from '../support/dns-server';
import { refusal } from '../support/matchers';
import { until } from '../support/server-process';

interface Entry {
  readonly id: string;
  readonly user: { readonly uuid: string; readonly email: string } | null;
  readonly key_id: string | null;
  readonly project_id: number | null;
  readonly activity: string;
  readonly scope: string;
  readonly item_id: string;
  readonly detail: {
    readonly name: string | null;
    readonly changes: { field: string; action: string; before: unknown; after: unknown }[] | null;
    readonly trigger: unknown;
  };
  readonly created_at: string;
}

describe('The activity log', () => {
  let api: TestApi;
  let dns: DnsServer;
  let owner: Person;

  beforeAll(async () => {
    dns = await DnsServer.start();
    api = await TestApi.start({ DNS_SERVERS: dns.address });
  });
  afterAll(async () => {
    await api?.stop();
    await dns?.stop();
  });

  beforeEach(async () => {
    owner = await api.owner();
  });

  const log = async (person: Person, query = ''): Promise<Entry[]> => {
    const answer = await person.get(person.path(`activity_log/${query}`));
    expect(answer.status).toBe(200);
    return answer.body.results;
  };
  const told = (entries: readonly Entry[]) => entries.map(({ scope, activity }) => `${scope} ${activity}`);

  it('says who changed what, with which key, when, and what it was before and after', async () => {
    const made = await owner.post(owner.projectPath('actions/'), { name: 'Signed up', tags: ['a'] });
    api.clock.advance({ seconds: 1 });
    const path = owner.projectPath(`actions/${made.body.id}/`);
    await owner.patch(path, { name: 'Joined', tags: ['a', 'b'] });
    const [entry, creation] = await log(owner, `?scope=Action&item_id=${made.body.id}`);
    const keys = await owner.get('/api/personal_api_keys/');
    expect(entry).toEqual({
      id: expect.any(String),
      user: { uuid: owner.user.uuid, first_name: 'Olive', last_name: 'Owner', email: owner.user.email },
      key_id: keys.body.results[0].id,
      project_id: owner.projectId,
      activity: 'updated',
      scope: 'Action',
      item_id: String(made.body.id),
      detail: {
        name: 'Joined',
        changes: [
          { field: 'name', action: 'changed', before: 'Signed up', after: 'Joined' },
          { field: 'tags', action: 'changed', before: ['a'], after: ['a', 'b'] },
        ],
        trigger: null,
        type: null,
        short_id: null,
      },
      created_at: expect.stringMatching(/Z$/),
    });
    expect(creation?.detail.changes).toContainEqual({
      field: 'name',
      action: 'created',
      before: null,
      after: 'Signed up',
    });
    await owner.patch(path, { deleted: true });
    await owner.patch(path, { deleted: false });
    await owner.patch(path, {});
    expect(told(await log(owner, '?scope=Action')).sort()).toEqual(
      ['created', 'updated', 'deleted', 'restored'].map((activity) => `Action ${activity}`).sort(),
    );
  });

  it('is narrowed by scope, thing, user and time, and comes in pages, the newest first', async () => {
    const member = await api.member(owner, Level.Admin);
    await api.rows('DELETE FROM activity_log WHERE organization_id = $1', [owner.organizationId]);
    const start = api.clock.now().toISOString();
    for (const name of ['a', 'b']) {
      api.clock.advance({ seconds: 10 });
      await owner.post(owner.projectPath('actions/'), { name });
    }
    const middle = api.clock.now().toISOString();
    api.clock.advance({ seconds: 10 });
    await member.post(owner.path('domains/'), { domain: `d${owner.projectId}.example.com` });
    const all = await log(owner);
    expect(told(all)).toEqual(['OrganizationDomain created', 'Action created', 'Action created']);
    expect(all.map(({ detail }) => detail.name).slice(1)).toEqual(['b', 'a']);
    const ids = async (query: string) => (await log(owner, query)).map(({ id }) => id);
    const [domain, b, a] = all.map(({ id }) => id);
    expect(await ids('?scope=Action')).toEqual([b, a]);
    expect(await ids(`?item_id=${all[0]?.item_id}`)).toEqual([domain]);
    expect(await ids(`?user=${member.user.uuid}`)).toEqual([domain]);
    expect(await ids(`?user=${owner.user.uuid}&scope=OrganizationDomain`)).toEqual([]);
    expect(await ids(`?after=${middle}`)).toEqual([domain]);
    expect(await ids(`?before=${middle}`)).toEqual([b, a]);
    expect(await ids(`?after=${start}&before=${middle}&item_id=${all[2]?.item_id}`)).toEqual([a]);
    expect(await ids(`?before=${start}`)).toEqual([]);
    const page = await owner.get(owner.path('activity_log/?limit=1&offset=1'));
    expect(page.body).toMatchObject({ count: 3, results: [{ id: b }] });
    expect(page.body.next).toContain('offset=2');
    expect(page.body.previous).toContain('limit=1');
  });

  it.each([
    ['user=me', 'user', 'Must be a valid UUID.'],
    ['after=yesterday', 'after', expect.stringContaining('wrong format') as unknown as string],
    ['before=soon', 'before', expect.stringContaining('wrong format') as unknown as string],
    [`scope=${'x'.repeat(1001)}`, 'scope', 'Ensure this field has no more than 1000 characters.'],
  ])('refuses %.20s', async (query, attr, detail) => {
    const answer = await owner.get(owner.path(`activity_log/?${query}`));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ attr, detail });
  });

  it('needs activity_log:read, and is for members alone', async () => {
    const path = owner.path('activity_log/');
    const reader = await api.as(owner, { scopes: ['activity_log:read'] });
    expect((await reader.get(path)).status).toBe(200);
    const other = await api.as(owner, { scopes: ['organization:write'] });
    expect(await other.get(path)).toEqual(
      refusal(403, 'permission_denied', "API key missing required scope 'activity_log:read'"),
    );
    expect(await (await api.owner()).get(path)).toEqual(refusal(404, 'not_found', 'Not found.'));
  });

  it('tells nobody of private projects that they do not see, not after they are gone either', async () => {
    const member = await api.member(owner);
    const made = await owner.post(owner.path('projects/'), { name: 'Secret plan', access_control: true });
    const project = made.body.id;
    await owner.post(`/api/projects/${project}/actions/`, { name: 'Secret action' });
    await owner.post(owner.path('invites/'), {
      target_email: 'guest@example.com',
      private_project_access: [{ id: project, level: 1 }],
    });
    const seen = async (person: Person) =>
      (await log(person)).filter(({ project_id }) => project_id === project);
    expect(told(await seen(owner)).sort()).toEqual(['Action created', 'Project created']);
    expect(await seen(member)).toEqual([]);
    expect(JSON.stringify(await log(member))).not.toMatch(/Secret|private_project_access/);
    await owner.put(`/api/projects/${project}/members/${member.user.uuid}/`, { level: 1 });
    expect(told(await seen(member))).toContain('Action created');
    await owner.delete(owner.path(`projects/${project}/`));
    expect(await seen(member)).toEqual([]);
    expect(told(await seen(owner)).sort()).toEqual([
      'Action created',
      'Project created',
      'Project deleted',
      'ProjectMember created',
    ]);
  });

  it("tells administrators of the members' keys that reach the organization, never their values", async () => {
    const member = await api.member(owner);
    const colleague = await api.member(owner);
    const elsewhere = await api.owner();
    const membership = `INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
       VALUES (gen_random_uuid(), $1, $2, 1, now(), now())`;
    await api.rows(membership, [elsewhere.organizationId, member.user.id]);
    const key = await member.post('/api/personal_api_keys/', {
      label: 'Robot',
      scopes: ['action:read'],
      scoped_organizations: [owner.organizationId],
    });
    const rolled = await member.post(`/api/personal_api_keys/${key.body.id}/roll/`);
    await member.patch(`/api/personal_api_keys/${key.body.id}/`, {
      scoped_organizations: [owner.organizationId, elsewhere.organizationId],
    });
    await member.delete(`/api/personal_api_keys/${key.body.id}/`);
    const query = `?item_id=${key.body.id}`;
    const activities = ['deleted', 'rolled', 'created'];
    const entries = await log(owner, query);
    expect(entries.map(({ activity }) => activity).sort()).toEqual([...activities].sort());
    expect(await log(colleague, query)).toEqual([]);
    expect(await log(member, query)).toHaveLength(3);
    // The other organization hears of the key once it reaches it, and nothing of where else it does.
    const others = await log(elsewhere, query);
    expect(others.map(({ activity }) => activity).sort()).toEqual(['deleted', 'updated']);
    const text = JSON.stringify([...entries, ...others]);
    for (const secret of [key.body.value, rolled.body.value]) expect(text).not.toContain(secret);
    expect(JSON.stringify(others)).not.toContain(owner.organizationId);
  });

  it('says that a secret of a destination is another one, and never which', async () => {
    const config = { url: 'https://example.com/capture/', token: 'phc_first_secret_of_all' };
    const made = await owner.post(owner.projectPath('batch_exports/'), {
      name: 'Mirror',
      interval: 'hour',
      destination: { type: 'HTTP', config },
    });
    expect(made.status).toBe(201);
    const path = owner.projectPath(`batch_exports/${made.body.id}/`);
    const second = { ...config, token: 'phc_second_secret' };
    expect((await owner.patch(path, { destination: { type: 'HTTP', config: second } })).status).toBe(200);
    const entries = await log(owner, '?scope=BatchExport');
    const update = entries.find(({ activity }) => activity === 'updated');
    expect(update?.detail.changes).toEqual([
      {
        field: 'destination.config.token',
        action: 'changed',
        before: '********',
        after: '********',
      },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/first_secret|second_secret/);
  });

  it('names who joined by an invite, though they had no key', async () => {
    const invite = await owner.post(owner.path('invites/'), { target_email: 'new@example.com', level: 8 });
    const secret = /signup\/(\w+)\//.exec(invite.headers.get('link') ?? '')?.[1] ?? '';
    const joined = await api.anyone().post(`/api/signup/${secret}/`, { first_name: 'Nia' });
    expect(joined.status).toBe(201);
    const entries = (await log(owner)).filter(({ user }) => user?.email === 'new@example.com');
    expect(told(entries).sort()).toEqual([
      'OrganizationInvite accepted',
      'OrganizationMembership joined',
      'PersonalAPIKey created',
    ]);
    expect(entries.map(({ key_id }) => key_id)).toEqual([null, null, null]);
    expect(JSON.stringify(await log(owner))).not.toContain(secret);
  });

  it('tells of the invites that go with a member', async () => {
    const member = await api.member(owner, Level.Admin);
    await member.post(owner.path('invites/'), { target_email: 'third@example.com', level: 8 });
    await owner.patch(owner.path(`members/${member.user.uuid}/`), { level: 1 });
    await owner.delete(owner.path(`members/${member.user.uuid}/`));
    expect(told(await log(owner, `?user=${owner.user.uuid}`)).sort()).toEqual([
      'OrganizationInvite withdrawn',
      'OrganizationMembership removed',
      'OrganizationMembership updated',
    ]);
  });

  it('tells of a domain that was verified', async () => {
    const made = await owner.post(owner.path('domains/'), { domain: `v${owner.projectId}.example.com` });
    dns.set(`_posthog-challenge.v${owner.projectId}.example.com`, [[made.body.verification_challenge]]);
    expect((await owner.post(owner.path(`domains/${made.body.id}/verify/`))).status).toBe(200);
    expect(told(await log(owner, '?scope=OrganizationDomain')).sort()).toEqual([
      'OrganizationDomain created',
      'OrganizationDomain verified',
    ]);
  });

  it('tells of a command as what it is: no person', async () => {
    const activity = api.app.get(ActivityLog);
    await activity.triggeredBy({ job_type: 'command', job_id: 'hedgerow' }, async () => {
      await api.app.get(UserAdministration).activate(owner.user.email);
      const key = await api.app
        .get(KeyAdministration)
        .create(owner.user.email, { label: 'x', scopes: ['*'] });
      await api.app.get(KeyAdministration).revoke(key.id);
    });
    const entries = (await log(owner)).filter(({ detail }) => detail.trigger !== null);
    expect(told(entries).sort()).toEqual(['PersonalAPIKey created', 'PersonalAPIKey revoked']);
    expect(entries[0]).toMatchObject({
      user: null,
      key_id: null,
      detail: { trigger: { job_type: 'command', job_id: 'hedgerow', payload: {} } },
    });
  });

  it('has an entry exactly when there was a change', async () => {
    await api.rows(`
      CREATE FUNCTION no_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`);
    await api.rows(`CREATE TRIGGER no_entry BEFORE INSERT ON activity_log FOR EACH ROW
                      WHEN (new.organization_id = '${owner.organizationId}') EXECUTE FUNCTION no_entry()`);
    try {
      const answer = await owner.post(owner.projectPath('actions/'), { name: 'Unheard' });
      expect(answer.status).toBe(500);
      expect((await owner.get(owner.projectPath('actions/'))).body.count).toBe(0);
    } finally {
      await api.rows('DROP TRIGGER no_entry ON activity_log');
    }
    await expect(
      api.app.get(ActivityLog).record({
        organizationId: owner.organizationId,
        scope: 'Action',
        itemId: '1',
        name: null,
        activity: 'updated',
      }),
    ).rejects.toThrow('No transaction is open');
    const before = await log(owner);
    await expect(
      api.app.get(Transaction).run(async () => {
        await owner.get(owner.path('activity_log/'));
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect(await log(owner)).toEqual(before);
  });

  it('keeps nobody from deleting an organization that is in use, and goes with it', async () => {
    const { id } = (await owner.post(owner.projectPath('actions/'), { name: 'Busy' })).body;
    const { organizationId } = owner;
    const client = new Client({ connectionString: api.databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      // Who waited for the deletion, which waits for them, would be found out later than this.
      await client.query("SET LOCAL lock_timeout = '300ms'");
      await client.query('SELECT FROM actions WHERE id = $1 FOR UPDATE', [id]);
      const deletion = owner.delete(`/api/organizations/${organizationId}/`);
      await until(async () => {
        const waiting =
          'SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid';
        return (await client.query(waiting)).rowCount === 1;
      });
      // What a change does at its end, when the deletion waits for what it has changed.
      await client.query(
        `INSERT INTO activity_log (id, organization_id, scope, item_id, activity, detail, created_at)
         VALUES (gen_random_uuid(), $1, 'Action', $2, 'updated', '{}', now())`,
        [organizationId, String(id)],
      );
      await client.query('COMMIT');
      expect((await deletion).status).toBe(204);
    } finally {
      await client.end();
    }
    const left = await api.rows('SELECT FROM activity_log WHERE organization_id = $1', [organizationId]);
    expect(left).toEqual([]);
  });
});
