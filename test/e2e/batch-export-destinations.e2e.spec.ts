import { Settings } from '../../src/config/settings';
import { SecretBox } from '../../src/shared/secrets/secret-box';
import { type Person, TestApi } from '../support/api';
import { refusal } from '../support/matchers';

const OLD_KEY = 'the key that secrets were sealed with once';
const NEW_KEY = 'the key that secrets are sealed with today';

const SECRET = 'sw0rdfish-7f3a';

/** A configuration of each type with a secret in every place that has one. */
const CONFIGS: Record<string, { shown: object; secrets: object }> = {
  S3: {
    shown: { bucket_name: 'b', region: 'r', prefix: '', file_format: 'Parquet', compression: 'zstd' },
    secrets: { aws_access_key_id: SECRET, aws_secret_access_key: SECRET },
  },
  Postgres: {
    shown: { host: 'h', database: 'd', port: 5433, has_self_signed_cert: true },
    secrets: { user: SECRET, password: SECRET },
  },
  Redshift: {
    shown: { host: 'h', database: 'd', mode: 'INSERT' },
    secrets: { user: SECRET, password: SECRET },
  },
  HTTP: { shown: { url: 'https://example.com/in' }, secrets: { token: SECRET } },
  File: { shown: { prefix: '{year}/{table}-', compression: 'gzip', max_file_size_mb: 5 }, secrets: {} },
  NoOp: { shown: { arg: '', exclude_events: ['a'], include_events: null }, secrets: {} },
};

const CREDENTIALS = { aws_access_key_id: SECRET, aws_secret_access_key: SECRET };
const COPY_INPUTS = { s3_bucket: 'b', region_name: 'r' };

describe("Batch exports' destinations", () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start({ SECRET_KEY: `${NEW_KEY},${OLD_KEY}` });
    owner = await api.owner();
    await api.eventAt(owner.projectId, '2025-01-01T00:00:00Z');
  });
  afterAll(() => api.stop());

  const boxWith = (secretKey: string) =>
    new SecretBox(Settings.from({ SECRET_KEY: secretKey, DATABASE_URL: 'postgres://localhost/none' }));
  const post = (destination: unknown) =>
    owner.post(owner.path('batch_exports/'), { name: 'Nightly', interval: 'day', destination });
  const create = async (type: string, config: object): Promise<string> => {
    const created = await post({ type, config });
    expect(created.status).toBe(201);
    return created.body.id;
  };
  const patch = (id: string, destination: unknown) =>
    owner.patch(owner.path(`batch_exports/${id}/`), { destination });
  const sealedOf = async (id: string): Promise<Buffer> => {
    const [row] = await api.rows<{ destination_secrets: Buffer }>(
      'SELECT destination_secrets FROM batch_exports WHERE id = $1',
      [id],
    );
    return row?.destination_secrets ?? Buffer.alloc(0);
  };
  const secretsOf = async (id: string) =>
    JSON.parse(boxWith(NEW_KEY).open(await sealedOf(id), id)) as Record<string, unknown>;

  it.each(Object.entries(CONFIGS))(
    '%s: shows what was given but the secrets, which are nowhere in the clear (BE-15, BE-16)',
    async (type, { shown, secrets }) => {
      const copying = type === 'Redshift';
      const inputs = { ...COPY_INPUTS, bucket_credentials: CREDENTIALS, authorization: CREDENTIALS };
      const given = { ...shown, ...secrets, ...(copying ? { copy_inputs: inputs } : {}) };
      const created = await post({ type, config: given });
      const config = { ...shown, ...(copying ? { copy_inputs: COPY_INPUTS } : {}) };
      expect(created.body.destination).toEqual({ type, config });
      const { id } = created.body;
      const path = owner.path(`batch_exports/${id}/`);
      const range = { start_at: '2025-01-01T00:00:00Z', end_at: '2025-01-02T00:00:00Z' };
      const answers = [
        created,
        await owner.get(path),
        await owner.patch(path, { name: 'Other' }),
        await owner.put(path, { name: 'Other', interval: 'day', destination: { type, config: given } }),
        await owner.preferring.post(`${path}pause/`),
        await owner.preferring.post(`${path}unpause/`),
        await owner.preferring.post(`${path}backfill/`, range),
        await owner.preferring.get(`${path}logs/`),
        await owner.get(owner.path('batch_exports/')),
      ];
      expect(answers.map(({ status }) => status)).toEqual([201, ...Array(8).fill(200)]);
      expect(answers.filter(({ text }) => text.includes(SECRET))).toEqual([]);
      const rows = await api.rows<{ row: string }>(`
        SELECT e::text AS row FROM batch_exports e UNION ALL SELECT b::text FROM batch_export_backfills b
        UNION ALL SELECT r::text FROM batch_export_runs r UNION ALL SELECT l::text FROM batch_export_log_entries l`);
      const sealed = await sealedOf(id);
      expect(rows.filter(({ row }) => row.includes(SECRET))).toEqual([]);
      expect(rows.filter(({ row }) => row.includes(Buffer.from(SECRET).toString('hex')))).toEqual([]);
      expect(sealed.includes(SECRET)).toBe(false);
      if (Object.keys(secrets).length > 0) expect(await secretsOf(id)).toMatchObject(secrets);
      else expect(sealed).toHaveLength(0);
    },
  );

  it('refuses other types, and a configuration that is none', async () => {
    const blamed = (attr: string, code: string, detail: unknown) => refusal(400, code, detail, attr);
    for (const type of ['Snowflake', 'BigQuery', 'Databricks', 's3', 'toString', '']) {
      const detail = `"${type}" is not a valid choice. Supported: S3, Postgres, Redshift, HTTP, File, NoOp`;
      expect(await post({ type })).toEqual(blamed('destination__type', 'invalid_choice', detail));
    }
    expect(await post({ config: {} })).toEqual(
      blamed('destination__type', 'required', 'This field is required.'),
    );
    expect(await post({ type: 'S3', config: null })).toEqual(
      blamed('destination__config', 'null', 'This field may not be null.'),
    );
    expect(await post({ type: 'NoOp', config: { arg: 'a\0b' } })).toEqual(
      blamed('destination__config', 'null_characters_not_allowed', 'Null characters are not allowed.'),
    );
    expect(await post({ type: 'S3' })).toEqual(
      blamed(
        'destination__non_field_errors',
        'invalid_input',
        "Configuration missing required field: 'bucket_name'",
      ),
    );
    expect(await post({ type: 'NoOp', config: { hello2: 1, hello: {} } })).toEqual(
      blamed(
        'destination__non_field_errors',
        'invalid_input',
        "Configuration has unknown field/s: 'hello', 'hello2'",
      ),
    );
    expect(await post({ type: 'NoOp', config: { arg: 5 } })).toEqual(
      blamed(
        'destination__non_field_errors',
        'invalid_input',
        "Configuration has invalid type: got 'int', expected 'str'",
      ),
    );
    expect(await post({ type: 'S3', config: { ...CONFIGS.S3?.shown, compression: 'rar' } })).toEqual(
      blamed(
        'destination',
        'invalid_input',
        'Compression rar is not supported for file format Parquet. ' +
          "Supported compressions are ['zstd', 'lz4', 'snappy', 'gzip', 'brotli']",
      ),
    );
    const events = Array.from({ length: 10_000 }, () => 'a');
    expect(await post({ type: 'NoOp', config: { include_events: events } })).toEqual(
      blamed(
        'destination__config__include_events',
        'max_length',
        'Ensure this field has no more than 1000 elements.',
      ),
    );
  });

  it('takes an absent configuration for an empty one (BE-19)', async () => {
    const created = await post({ type: 'NoOp' });
    expect([created.status, created.body.destination]).toEqual([201, { type: 'NoOp', config: {} }]);
  });

  it('merges field by field; secrets left out stay, null clears, another type starts anew (BE-26)', async () => {
    const id = await create('S3', { ...CONFIGS.S3?.shown, ...CONFIGS.S3?.secrets });
    const moved = await patch(id, { config: { region: 'r2' } });
    expect(moved.body.destination).toEqual({ type: 'S3', config: { ...CONFIGS.S3?.shown, region: 'r2' } });
    expect(await secretsOf(id)).toEqual(CONFIGS.S3?.secrets);
    await patch(id, { type: 'S3', config: { aws_access_key_id: null, aws_secret_access_key: 'new' } });
    expect(await secretsOf(id)).toEqual({ aws_access_key_id: null, aws_secret_access_key: 'new' });
    const before = (await owner.get(owner.path(`batch_exports/${id}/`))).body;
    const refused = [
      await patch(id, { config: { region: 5 } }),
      await patch(id, { config: { nonsense: 5 } }),
      await patch(id, { type: 'HTTP', config: { url: 'https://example.com' } }),
      await patch(id, { type: null }),
      await patch(id, { config: null }),
      await patch(id, null),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400]);
    expect((await owner.get(owner.path(`batch_exports/${id}/`))).body).toEqual(before);
    const http = await patch(id, { type: 'HTTP', config: { url: 'https://example.com', token: 't' } });
    expect(http.body.destination).toEqual({ type: 'HTTP', config: { url: 'https://example.com' } });
    expect(await secretsOf(id)).toEqual({ token: 't' });
    expect((await patch(id, { type: 'NoOp' })).body.destination).toEqual({ type: 'NoOp', config: {} });
    expect(await sealedOf(id)).toHaveLength(0);
  });

  it('must be whole in a PUT, which keeps optional secrets that are left out (BE-17)', async () => {
    const id = await create('S3', { ...CONFIGS.S3?.shown, ...CONFIGS.S3?.secrets });
    const put = (config: object) =>
      owner.put(owner.path(`batch_exports/${id}/`), {
        name: 'Nightly',
        interval: 'day',
        destination: { type: 'S3', config },
      });
    expect(await put({ region: 'r2' })).toEqual(
      refusal(
        400,
        'invalid_input',
        "Configuration missing required field: 'bucket_name'",
        'destination__non_field_errors',
      ),
    );
    expect((await put({ ...CONFIGS.S3?.shown, region: 'r2' })).body.destination.config.region).toBe('r2');
    expect(await secretsOf(id)).toEqual(CONFIGS.S3?.secrets);
  });

  it('exports events alone, as they were captured, where it is HTTP', async () => {
    const export_ = (type: string, rest: object) =>
      owner.post(owner.path('batch_exports/'), {
        name: 'Feed',
        interval: 'day',
        destination: { type, config: type === 'HTTP' ? httpOf('t') : {} },
        ...rest,
      });
    const detail = 'Destination HTTP exports events as they are captured only.';
    const query = { hogql_query: 'SELECT uuid FROM events' };
    const [persons, queried] = ['model', 'hogql_query'].map((attr) =>
      refusal(400, 'invalid_input', detail, attr),
    );
    expect(await export_('HTTP', { model: 'persons' })).toEqual(persons);
    expect(await export_('HTTP', query)).toEqual(queried);
    const http = (await export_('HTTP', { model: 'events' })).body.id;
    expect(await owner.patch(owner.path(`batch_exports/${http}/`), { model: 'persons' })).toEqual(persons);
    expect(await owner.patch(owner.path(`batch_exports/${http}/`), query)).toEqual(queried);
    expect((await owner.patch(owner.path(`batch_exports/${http}/`), { model: null })).status).toBe(200);
    const file = (await export_('File', { model: 'persons' })).body.id;
    expect(await patch(file, { type: 'HTTP', config: httpOf('t') })).toEqual(persons);
    expect((await owner.get(owner.path(`batch_exports/${file}/`))).body.destination.type).toBe('File');
  });

  it('never gets stored secrets for a place that whoever names it does not give them to', async () => {
    const stored = { ...CONFIGS.Postgres?.shown, ...CONFIGS.Postgres?.secrets };
    const id = await create('Postgres', stored);
    const sealed = await sealedOf(id);
    const again = (moved: string) =>
      `Give 'user', 'password' again: a change of ${moved} sends them to another place.`;
    const refused = (moved: string) => refusal(400, 'required', again(moved), 'destination__config__user');
    expect(await patch(id, { config: { host: 'evil.example.com' } })).toEqual(refused("'host'"));
    expect(await patch(id, { type: 'Postgres', config: { port: 5434 } })).toEqual(refused("'port'"));
    const path = owner.path(`batch_exports/${id}/`);
    expect((await owner.get(path)).body.destination.config).toEqual(CONFIGS.Postgres?.shown);
    expect(await sealedOf(id)).toEqual(sealed);
    const moved = await patch(id, { config: { host: 'h2', user: 'u2', password: 'p2' } });
    expect(moved.body.destination.config).toMatchObject({ host: 'h2', port: 5433 });
    expect(await secretsOf(id)).toEqual({ user: 'u2', password: 'p2' });
    const s3 = await create('S3', { ...CONFIGS.S3?.shown, ...CONFIGS.S3?.secrets });
    const config = { ...CONFIGS.S3?.shown, endpoint_url: 'https://evil.example.com' };
    const put = await owner.put(owner.path(`batch_exports/${s3}/`), {
      name: 'Nightly',
      interval: 'day',
      destination: { type: 'S3', config },
    });
    expect([put.status, put.body.code]).toEqual([400, 'required']);
  });

  it('of a type that an earlier version had is shown, and can be replaced or deleted', async () => {
    const id = await create('NoOp', {});
    const path = owner.path(`batch_exports/${id}/`);
    await api.rows(
      `UPDATE batch_exports SET destination_type = 'Snowflake', destination_config = $2 WHERE id = $1`,
      [id, { account: 'a' }],
    );
    const answer = await fetch(api.url + path, { headers: { Authorization: `Bearer ${owner.key}` } });
    const shown = (await answer.json()) as { destination: object };
    expect(shown.destination).toEqual({ type: 'Snowflake', config: { account: 'a' } });
    const gone = refusal(
      400,
      'invalid_choice',
      '"Snowflake" is no longer a destination. Supported: S3, Postgres, Redshift, HTTP, File, NoOp',
      'destination__type',
    );
    expect(await patch(id, { config: { account: 'b' } })).toEqual(gone);
    expect((await owner.post(`${path}pause/`)).status).toBe(200);
    expect((await patch(id, { type: 'File' })).body.destination).toEqual({ type: 'File', config: {} });
    expect((await owner.delete(path)).status).toBe(204);
  });

  it('opens secrets that an older key sealed, and seals them with the first', async () => {
    const { shown, secrets } = CONFIGS.Postgres ?? { shown: {}, secrets: {} };
    const id = await create('Postgres', { ...shown, ...secrets });
    const old = boxWith(OLD_KEY).seal(JSON.stringify(secrets), id);
    await api.rows('UPDATE batch_exports SET destination_secrets = $2 WHERE id = $1', [id, old]);
    expect((await patch(id, { config: { password: 'changed' } })).status).toBe(200);
    expect(await secretsOf(id)).toEqual({ ...secrets, password: 'changed' });
  });

  it('that no key opens does not keep an export from being paused, renamed or deleted', async () => {
    const id = await create('HTTP', httpOf('a'));
    const path = owner.path(`batch_exports/${id}/`);
    const lost = boxWith('a key that nobody has any longer at all').seal('{"token":"a"}', id);
    await api.rows('UPDATE batch_exports SET destination_secrets = $2 WHERE id = $1', [id, lost]);
    const range = { start_at: '2025-01-01T00:00:00Z', end_at: '2025-01-02T00:00:00Z' };
    expect((await owner.post(`${path}pause/`)).status).toBe(200);
    expect((await owner.patch(path, { name: 'Other' })).body).toMatchObject({ name: 'Other', paused: true });
    expect((await owner.post(`${path}backfill/`, range)).status).toBe(200);
    const moved = await owner.patch(path, { destination: { config: { url: 'https://b.example.com/' } } });
    expect([moved.status, moved.body.code]).toEqual([503, 'secret_unreadable']);
    expect(await sealedOf(id)).toEqual(lost);
    expect((await owner.delete(path)).status).toBe(204);
  });

  it('is bound to its export: the secrets of one cannot be moved to another', async () => {
    const [one, other] = [await create('HTTP', httpOf('a')), await create('HTTP', httpOf('b'))];
    const sealed = await sealedOf(one);
    expect(() => boxWith(NEW_KEY).open(sealed, other)).toThrow();
    expect(boxWith(NEW_KEY).open(sealed, one)).toBe('{"token":"a"}');
  });

  it('keeps each of many changes made at once', async () => {
    const id = await create('Postgres', { ...CONFIGS.Postgres?.shown, ...CONFIGS.Postgres?.secrets });
    const changes = [{ table_name: 't2' }, { database: 'd2' }, { schema: 's2' }, { password: 'p2' }];
    await Promise.all(changes.map((config) => patch(id, { config })));
    expect((await owner.get(owner.path(`batch_exports/${id}/`))).body.destination.config).toMatchObject({
      table_name: 't2',
      database: 'd2',
      schema: 's2',
    });
    expect(await secretsOf(id)).toMatchObject({ password: 'p2' });
  });
});

describe("Batch exports' destinations where private addresses are none (ALLOW_PRIVATE_DESTINATIONS=false)", () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start({ ALLOW_PRIVATE_DESTINATIONS: 'false' });
    owner = await api.owner();
  });
  afterAll(() => api.stop());

  const PLACES: [string, string, (host: string) => string][] = [
    ['Postgres', 'host', (host) => host],
    ['Redshift', 'host', (host) => host],
    ['HTTP', 'url', (host) => `http://${host.includes(':') ? `[${host}]` : host}:8000/batch/`],
    ['S3', 'endpoint_url', (host) => `https://${host.includes(':') ? `[${host}]` : host}`],
  ];

  it.each(PLACES)('%s is refused with a %s that is private, also later', async (type, field, written) => {
    const { shown, secrets } = CONFIGS[type] ?? { shown: {}, secrets: {} };
    const config = (host: string) => ({ ...shown, ...secrets, [field]: written(host) });
    const post = (host: string) =>
      owner.post(owner.path('batch_exports/'), {
        name: 'Nightly',
        interval: 'day',
        destination: { type, config: config(host) },
      });
    const refused = refusal(
      400,
      'invalid_input',
      expect.stringContaining('is not a public address'),
      `destination__config__${field}`,
    );
    const hosts = [
      'localhost',
      'a.localhost',
      'LOCALHOST',
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '::1',
      '127.1',
    ];
    for (const host of hosts) expect([host, await post(host)]).toEqual([host, refused]);
    const created = await post('data.example.com');
    expect(created.status).toBe(201);
    const path = owner.path(`batch_exports/${created.body.id}/`);
    const moved = { ...secrets, [field]: written('192.168.0.1') };
    expect(await owner.patch(path, { destination: { config: moved } })).toEqual(refused);
    expect((await owner.get(path)).body.destination.config[field]).toBe(written('data.example.com'));
  });
});

const httpOf = (token: string) => ({ url: 'https://example.com', token });
