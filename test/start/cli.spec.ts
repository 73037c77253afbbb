import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from '../../src/shared/domain/level';
import { type Person, TestApi } from '../support/api';
import { Cli, SECRET_KEY } from '../support/cli';
import { createDatabase, dropDatabase, urlOf } from '../support/database';
import { ServerProcess } from '../support/server-process';

jest.setTimeout(120_000);

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const UUID = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
const ME = '/api/users/@me/';

describe('The command line', () => {
  let api: TestApi;
  let cli: Cli;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    cli = new Cli({ DATABASE_URL: api.databaseUrl, SECRET_KEY });
  });
  beforeEach(async () => {
    owner = await api.owner();
  });
  afterAll(async () => {
    expect(cli.said).not.toContain(SECRET_KEY);
    await api.stop();
  });

  const create = (...more: string[]) => cli.json('keys', 'create', '--user', owner.user.email, ...more);
  const statusOf = async (key: string | null, path = ME) => (await api.anyone(key).get(path)).status;

  describe('keys create', () => {
    it('makes a key that works, and shows its value this once', async () => {
      const made = await cli.run([
        'keys',
        'create',
        '--user',
        owner.user.email.toUpperCase(),
        '--label',
        ' Lost ',
        '--scopes',
        '*',
      ]);
      expect(made.code).toBe(0);
      expect(made.err).toBe('');
      const [, value = ''] = /Its value, shown this once: (phx_[0-9A-Za-z]{40,})\n$/.exec(made.out) ?? [];
      expect(await statusOf(value)).toBe(200);
      const [row] = await api.rows('SELECT * FROM personal_api_keys ORDER BY id DESC LIMIT 1');
      expect(row).toMatchObject({ label: 'Lost', user_id: owner.user.id, scopes: ['*'] });
      expect(JSON.stringify(row)).not.toContain(value);
      const list = await cli.run(['keys', 'list']);
      expect(list.out).toContain(`${value.slice(0, 4)}...${value.slice(-4)}`);
      expect(list.out).not.toContain(value);
    });

    it('restricts it to scopes, organizations by id or slug, projects and a time', async () => {
      const [{ slug = '' } = {}] = await api.rows<{ slug: string }>(
        'SELECT slug FROM organizations WHERE id = $1',
        [owner.organizationId],
      );
      const key = await create(
        '--label',
        'CI',
        '--scopes',
        'organization:read, action:write',
        '--organizations',
        `${slug},${owner.organizationId}`,
        '--projects',
        String(owner.projectId),
        '--expires',
        '2031-05-01',
      );
      expect(key).toEqual({
        id: UUID,
        label: 'CI',
        value: expect.stringMatching(/^phx_/),
        mask_value: `phx_...${key.value.slice(-4)}`,
        user: owner.user.email,
        user_is_active: true,
        scopes: ['organization:read', 'action:write'],
        scoped_organizations: [owner.organizationId],
        scoped_teams: [owner.projectId],
        created_at: MOMENT,
        last_used_at: null,
        last_rolled_at: null,
        expires_at: '2031-05-01T00:00:00Z',
      });
      expect(await statusOf(key.value, owner.projectPath('actions/'))).toBe(200);
      expect(await statusOf(key.value, owner.projectPath('batch_exports/'))).toBe(403);
    });

    it('has a server mail its user of it, where mails are sent', async () => {
      const key = await cli.run(
        ['keys', 'create', '--user', owner.user.email, '--label', 'Told', '--scopes', '*', '--json'],
        { SMTP_URL: 'smtp://user:hunter2@127.0.0.1:1', PUBLIC_URL: 'https://hedgerow.example.com' },
      );
      const mails = await api.rows('SELECT state, attempts FROM mails WHERE name = $1', [
        `key ${key.json.id} created`,
      ]);
      expect(mails).toEqual([{ state: 'waiting', attempts: 0 }]);
      expect(key.out + key.err).not.toContain('hunter2');
    });

    it('says what it refuses in one line, by the names of its options', async () => {
      const asked = { user: owner.user.email, label: 'X', scopes: '*' };
      const refused = (change: Record<string, string>) => {
        const options = Object.entries({ ...asked, ...change });
        return cli.failure('keys', 'create', ...options.flatMap(([name, value]) => [`--${name}`, value]));
      };
      expect(await refused({ user: 'nobody@example.com' })).toBe(
        'No user has the address nobody@example.com.',
      );
      expect(await refused({ scopes: 'action:fly' })).toBe('--scopes: Invalid scope: action:fly');
      expect(await refused({ expires: '2020-01-01' })).toBe('--expires: Ensure this time is in the future.');
      expect(await refused({ organizations: 'nowhere' })).toContain(
        'no organization with the id or slug nowhere',
      );
    });
  });

  describe('keys list and revoke', () => {
    it('lists keys, of all, of a user or of an organization', async () => {
      const other = await api.owner();
      const listed = async (...words: string[]) =>
        (await cli.json('keys', 'list', ...words)).map(({ user }: { user: string }) => user);
      expect(await listed()).toEqual(expect.arrayContaining([owner.user.email, other.user.email]));
      expect(await listed('--organization', other.organizationId)).toEqual([other.user.email]);
      const [key] = await cli.json('keys', 'list', '--user', owner.user.email);
      expect(key).toEqual({
        id: UUID,
        label: 'Test',
        mask_value: expect.stringMatching(/^phx_\.\.\..{4}$/),
        user: owner.user.email,
        user_is_active: true,
        scopes: ['*'],
        scoped_organizations: [],
        scoped_teams: [],
        created_at: MOMENT,
        last_used_at: null,
        last_rolled_at: null,
        expires_at: null,
      });
      const { rows } = await cli.run(['keys', 'list', '--user', owner.user.email]);
      expect(rows).toEqual([
        [key.id, owner.user.email, 'Test', key.mask_value, '*', 'everything', 'never', 'never'],
      ]);
      expect(await cli.failure('keys', 'list', '--organization', 'nowhere')).toContain('no organization');
    });

    it('revokes a key at once', async () => {
      const key = await create('--label', 'Short', '--scopes', '*');
      expect(await statusOf(key.value)).toBe(200);
      expect(await cli.json('keys', 'revoke', key.id)).toMatchObject({ id: key.id, label: 'Short' });
      expect(await statusOf(key.value)).toBe(401);
      expect(await cli.failure('keys', 'revoke', key.id)).toBe(`There is no key with the id ${key.id}.`);
    });
  });

  describe('users', () => {
    it('lists them with their organizations', async () => {
      const member = await api.member(owner, Level.Admin);
      const users = await cli.json('users', 'list', '--organization', owner.organizationId);
      expect(users).toHaveLength(2);
      expect(users[0]).toEqual({
        uuid: member.user.uuid,
        email: member.user.email,
        first_name: 'Max',
        last_name: 'Member',
        is_active: true,
        date_joined: MOMENT,
        keys: 1,
        last_used_at: null,
        organizations: [{ id: owner.organizationId, slug: expect.any(String), level: 8 }],
      });
      const { rows } = await cli.run(['users', 'list', '--organization', owner.organizationId]);
      const slug = users[0].organizations[0].slug;
      expect(rows[0]).toEqual([
        member.user.email,
        'Max Member',
        'active',
        `${slug} (administrator)`,
        '1',
        'never',
      ]);
    });

    it('deactivates one, whose keys stop at once, and lets them in again', async () => {
      const member = await api.member(owner, Level.Admin);
      const { email } = member.user;
      const out = await cli.run(['users', 'deactivate', email.toUpperCase()]);
      expect(out.out).toBe(`${email} is deactivated. 1 key of theirs no longer works.\n`);
      expect(await statusOf(member.key)).toBe(401);
      expect((await owner.get(owner.path('members/'))).body.count).toBe(1);
      const again = await cli.run(['users', 'activate', email]);
      expect(again.out).toBe(`${email} is active, with 1 key.\n`);
      expect(await statusOf(member.key)).toBe(200);
      expect(await cli.failure('users', 'activate', 'nobody@example.com')).toContain('No user');
    });

    it('deactivates the last owner of an organization only by force (D19)', async () => {
      const refused = await cli.failure('users', 'deactivate', owner.user.email);
      expect(refused).toMatch(/is the only active owner of "Organization \d+".* or force it\.$/);
      expect(await statusOf(owner.key)).toBe(200);
      expect(await cli.json('users', 'deactivate', owner.user.email, '--force')).toMatchObject({
        email: owner.user.email,
        is_active: false,
      });
      expect(await statusOf(owner.key)).toBe(401);
    });
  });

  it('leaves entries of what it changes in the activity log', async () => {
    const { email } = owner.user;
    await cli.run(['users', 'deactivate', email, '--force']);
    await cli.run(['users', 'activate', email]);
    const key = await create('--label', 'Logged', '--scopes', '*');
    await cli.run(['keys', 'revoke', key.id]);
    await cli.run(['organizations', 'set-plugins-access', owner.organizationId, 'root']);
    await cli.run(['organizations', 'set-metadata', owner.organizationId, '{"plan": "gold"}']);
    const { results } = (await owner.get(owner.path('activity_log/'))).body;
    const entries = (
      results as { user: null; scope: string; activity: string; detail: { trigger: object } }[]
    )
      .filter(({ detail }) => detail.trigger !== null)
      .map(({ user, scope, activity, detail }) => [user, scope, activity, detail.trigger]);
    const trigger = { job_type: 'command', job_id: 'hedgerow', payload: {} };
    expect(entries).toEqual([
      [null, 'Organization', 'updated', trigger],
      [null, 'Organization', 'updated', trigger],
      [null, 'PersonalAPIKey', 'revoked', trigger],
      [null, 'PersonalAPIKey', 'created', trigger],
      [null, 'User', 'activated', trigger],
      [null, 'User', 'deactivated', trigger],
    ]);
  });

  describe('organizations', () => {
    const inApi = async () => (await owner.get(owner.path(''))).body;

    it('sets the plugins access level by its name or number, of an id or slug (D15)', async () => {
      const { slug, id } = await inApi();
      const set = (name: string, level: string) =>
        cli.json('organizations', 'set-plugins-access', name, level);
      expect(await set(slug, 'root')).toMatchObject({ id, plugins_access_level: 9 });
      expect((await inApi()).plugins_access_level).toBe(9);
      await set(id.toUpperCase(), '3');
      expect((await inApi()).plugins_access_level).toBe(3);
      await set(id, 'none');
      const plugins = owner.path('pipeline_transformations/');
      expect((await owner.get(plugins)).status).toBe(403);
      expect(await cli.failure('organizations', 'set-plugins-access', 'nowhere', 'root')).toContain(
        'nowhere',
      );
    });

    it('sets the metadata, which the API tells as JSON text (D2)', async () => {
      const { slug, id } = await inApi();
      const set = (text: string) => ['organizations', 'set-metadata', slug, text];
      expect(await cli.json(...set('{"plan": "gold", "seats": 3}'))).toMatchObject({
        metadata: { plan: 'gold', seats: 3 },
      });
      expect(JSON.parse((await inApi()).metadata)).toEqual({ plan: 'gold', seats: 3 });
      for (const wrong of ['gold', '[1]']) {
        expect((await cli.run(set(wrong))).code).toBe(2);
      }
      expect(JSON.parse((await inApi()).metadata)).toEqual({ plan: 'gold', seats: 3 });
      const list = await cli.json('organizations', 'list');
      expect(list.find((item: { id: string }) => item.id === id)).toEqual({
        id,
        slug,
        name: expect.any(String),
        plugins_access_level: 6,
        metadata: { plan: 'gold', seats: 3 },
        members: 1,
        projects: 1,
        created_at: MOMENT,
      });
      const { rows } = await cli.run(['organizations', 'list']);
      expect(rows.find(([first]) => first === id)?.slice(3)).toEqual([
        'install (6)',
        '1',
        '1',
        '{"plan":"gold","seats":3}',
      ]);
    });
  });

  describe('migrate', () => {
    it('does what is lacking, once; before that, other commands refuse', async () => {
      const database = `hedgerow_cli_${process.pid}_${Date.now()}`;
      await createDatabase(database, null);
      const fresh = new Cli({ DATABASE_URL: urlOf(database), SECRET_KEY });
      const planned = await fresh.json('migrate', '--dry-run');
      expect(planned).toEqual({
        dry_run: true,
        migrations: expect.arrayContaining(['Workspace1700000000001']),
        jobs: expect.arrayContaining(['the tables of the job queue', 'queue mails']),
        unknown: [],
      });
      expect(await fresh.failure('users', 'list')).toContain('run "hedgerow migrate"');
      expect(await fresh.json('migrate')).toEqual({ ...planned, dry_run: false });
      expect((await fresh.run(['migrate', '--dry-run'])).out).toBe('The database is up to date.\n');
      expect(await fresh.json('migrate')).toMatchObject({ migrations: [], jobs: [] });
      expect((await fresh.run(['users', 'list'])).out).toBe('No users.\n');
      await dropDatabase(database);
    });
  });

  describe('that is wrong', () => {
    it.each([
      ['keys', 'Which command?', 'hedgerow keys'],
      ['keys lst', 'Unknown command "lst"', 'hedgerow keys'],
      ['kyes', "Unknown command 'kyes' (Did you mean keys?)", 'hedgerow'],
      ['keys list --bogus', "Unknown option '--bogus'", 'hedgerow keys list'],
      ['keys revoke', "Missing required argument 'id'", 'hedgerow keys revoke'],
      ['keys revoke a b', 'Too many arguments', 'hedgerow keys revoke'],
      ['keys create --user a --scopes b', "Required option '--label <text>'", 'hedgerow keys create'],
      ['keys create --user a --label b --scopes c --projects 1,x', '"x" is none', 'hedgerow keys create'],
      ['keys create --user a --label b --scopes c --expires soon', 'not a date', 'hedgerow keys create'],
      ['organizations set-plugins-access a 7', '"7" is none', 'hedgerow organizations set-plugins-access'],
    ])('%s: one line that says so, and 2', async (words, said, command) => {
      const { code, out, err } = await cli.run(words.split(' '));
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^hedgerow: [^\n]+\n$/);
      expect(err).toContain(said);
      expect(err).toContain(`See "${command} --help".`);
    });

    it('is no command at all: the help, and 2', async () => {
      const { code, out, err } = await cli.run([]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^Usage: hedgerow <command>/);
    });

    it('is a setting or a database: one line without secrets, and 1', async () => {
      const setting = await cli.run(['users', 'list'], { DATABASE_URL: 'mysql://user:hunter2@db/none' });
      expect(setting).toMatchObject({ code: 1, out: '' });
      expect(setting.err).toMatch(/^hedgerow: DATABASE_URL: \(its value is kept secret\)[^\n]+\n$/);
      const database = await cli.run(['users', 'list'], {
        DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x',
      });
      expect(database).toMatchObject({ code: 1, out: '' });
      expect(database.err).toMatch(/^hedgerow: No connection to the database x at 127\.0\.0\.1:1[^\n]+\n$/);
      expect(cli.said).not.toContain('hunter2');
    });
  });

  it.each([
    '',
    'keys',
    'keys create',
    'keys list',
    'keys revoke',
    'users',
    'users list',
    'users deactivate',
    'users activate',
    'organizations',
    'organizations list',
    'organizations set-plugins-access',
    'organizations set-metadata',
    'migrate',
    'doctor',
  ])('explains itself: %s --help', async (words) => {
    const { code, out, err } = await cli.run([...words.split(' ').filter(Boolean), '--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`Usage: hedgerow ${words}`.trim());
    expect(out).toContain('show this help');
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  describe('without DATABASE_URL', () => {
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'hedgerow-cli-'));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it('makes no database where there is none', async () => {
      const offline = new Cli({ DATA_DIR: folder });
      for (const words of [['users', 'list'], ['migrate']]) {
        expect(await offline.failure(...words)).toContain(`There is no database in DATA_DIR ${folder} yet`);
      }
      expect(await readdir(folder)).toEqual([]);
    });

    it('works on the database of DATA_DIR, whether a server runs there or not', async () => {
      const dataDir = join(folder, 'data');
      const embedded = new Cli({ DATA_DIR: dataDir });
      const server = new ServerProcess({ DATA_DIR: dataDir });
      await server.ready();
      const asked = ['--user', 'admin@hedgerow.local', '--label', 'Back', '--scopes', '*'];
      const online = await embedded.json('keys', 'create', ...asked);
      const works = async (on: ServerProcess, { value }: { value: string }) =>
        (await on.request(ME, { key: value })).status;
      expect(await works(server, online)).toBe(200);
      await embedded.json('keys', 'revoke', online.id);
      expect(await works(server, online)).toBe(401);
      await server.stop();

      const offline = await embedded.json('keys', 'create', ...asked);
      expect(await embedded.json('organizations', 'list')).toMatchObject([{ slug: 'my-organization' }]);
      const later = new ServerProcess({ DATA_DIR: dataDir });
      await later.ready();
      // The command has stopped the database that it had started.
      expect(later.output).not.toContain('of an earlier start');
      expect(await works(later, offline)).toBe(200);
      await later.stop();
      rmSync(realpathSync(join(dataDir, 'postgres')), { recursive: true, force: true });
    });
  });
});
