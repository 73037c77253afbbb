import { Invalid } from '../../shared/domain/domain-error';
import { Destination } from './destination';
import type { Config } from './destination-rules';
import { DESTINATION_TYPE_NAMES, type DestinationTypeName } from './destination-types';

/** The least that each type needs. */
const LEAST: Record<DestinationTypeName, Config> = {
  S3: { bucket_name: 'b', region: 'r', prefix: 'p/' },
  Postgres: { user: 'u', password: 'p', host: 'h', database: 'd' },
  Redshift: { user: 'u', password: 'p', host: 'h', database: 'd' },
  HTTP: { url: 'https://example.com', token: 't' },
  File: {},
  NoOp: {},
};

const SECRETS: Record<DestinationTypeName, readonly string[]> = {
  S3: ['aws_access_key_id', 'aws_secret_access_key'],
  Postgres: ['user', 'password'],
  Redshift: ['user', 'password'],
  HTTP: ['token'],
  File: [],
  NoOp: [],
};

const NOTHING = { nothing: 'was refused' };

function refusalOf(work: () => unknown): object {
  try {
    work();
  } catch (error) {
    if (error instanceof Invalid) return { attr: error.attr, code: error.code, detail: error.message };
    throw error;
  }
  return NOTHING;
}

const malformed = (detail: string) => ({
  attr: 'destination__non_field_errors',
  code: 'invalid_input',
  detail,
});
const unsupported = (detail: unknown) => ({ attr: 'destination', code: 'invalid_input', detail });

describe('Destination', () => {
  it.each(DESTINATION_TYPE_NAMES)('%s takes its least configuration and keeps it as it is', (type) => {
    const destination = Destination.of(type, LEAST[type]);
    expect({ ...destination.config, ...destination.secrets }).toEqual(LEAST[type]);
  });

  it.each(
    DESTINATION_TYPE_NAMES.flatMap((type) => Object.keys(LEAST[type]).map((name) => [type, name] as const)),
  )('%s needs %s', (type, name) => {
    const { [name]: _, ...config } = LEAST[type];
    expect(refusalOf(() => Destination.of(type, config))).toEqual(
      malformed(`Configuration missing required field: '${name}'`),
    );
  });

  it.each(DESTINATION_TYPE_NAMES)('%s takes event filters, also null, and shows no secret', (type) => {
    const secrets = Object.fromEntries(SECRETS[type].map((name) => [name, 'hidden']));
    const filters = { exclude_events: ['$pageview'], include_events: null };
    const destination = Destination.of(type, { ...LEAST[type], ...secrets, ...filters });
    expect(destination.secrets).toEqual(secrets);
    expect(destination.config).toEqual({ ...without(LEAST[type], SECRETS[type]), ...filters });
  });

  it('names every unknown field, but not without end', () => {
    const config = { ...LEAST.NoOp, hello2: 1, hello: 2, __proto__: null };
    expect(refusalOf(() => Destination.of('NoOp', config))).toEqual(
      malformed("Configuration has unknown field/s: 'hello', 'hello2'"),
    );
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, number) => [`${number}`.repeat(99), 1]));
    expect(JSON.stringify(refusalOf(() => Destination.of('NoOp', many))).length).toBeLessThan(1000);
    const inherited = JSON.parse('{"__proto__": 1, "constructor": 2}') as Config;
    expect(refusalOf(() => Destination.of('NoOp', inherited))).toEqual(
      malformed("Configuration has unknown field/s: '__proto__', 'constructor'"),
    );
  });

  it.each<[DestinationTypeName, string, unknown, string, string]>([
    ['S3', 'bucket_name', 5, 'int', "'str'"],
    ['S3', 'bucket_name', null, 'NoneType', "'str'"],
    ['S3', 'prefix', ['a'], 'list', "'str'"],
    ['S3', 'max_file_size_mb', 1.5, 'float', "'int'"],
    ['S3', 'use_virtual_style_addressing', 'True', 'str', "'bool'"],
    ['S3', 'include_events', 'a', 'str', "'list'"],
    ['S3', 'include_events', [5], 'int', "'str'"],
    ['Postgres', 'port', '5432', 'str', "'int'"],
    ['Postgres', 'port', true, 'bool', "'int'"],
    ['Postgres', 'password', null, 'NoneType', "'str'"],
    ['Postgres', 'has_self_signed_cert', 'yes', 'str', "'bool'"],
    ['Redshift', 'copy_inputs', 'x', 'str', "'dict'"],
    ['Redshift', 'copy_inputs', { authorization: 5 }, 'int', "'str' or 'dict'"],
    ['NoOp', 'arg', {}, 'dict', "'str'"],
  ])('%s refuses %s of another type: %j', (type, name, value, got, expected) => {
    expect(refusalOf(() => Destination.of(type, { ...LEAST[type], [name]: value }))).toEqual(
      malformed(`Configuration has invalid type: got '${got}', expected ${expected}`),
    );
  });

  it.each<[DestinationTypeName, string, unknown, string, string]>([
    ['S3', 'bucket_name', 'x'.repeat(8193), 'bucket_name', 'max_length'],
    ['S3', 'prefix', 'é'.repeat(513), 'prefix', 'max_length'],
    ['File', 'prefix', 'x'.repeat(513), 'prefix', 'max_length'],
    ['File', 'max_file_size_mb', 0, 'max_file_size_mb', 'min_value'],
    ['HTTP', 'url', `https://example.com/${'x'.repeat(2048)}`, 'url', 'max_length'],
    ['S3', 'include_events', Array.from({ length: 1001 }, () => 'a'), 'include_events', 'max_length'],
    ['S3', 'include_events', ['a', 'x'.repeat(8193)], 'include_events__1', 'max_length'],
    ['S3', 'max_file_size_mb', 2 ** 31, 'max_file_size_mb', 'max_value'],
    ['Postgres', 'port', 0, 'port', 'min_value'],
    ['Postgres', 'port', 65_536, 'port', 'max_value'],
    ['Redshift', 'copy_inputs', { s3_bucket: 'x'.repeat(8193) }, 'copy_inputs__s3_bucket', 'max_length'],
  ])('%s refuses %s beyond its size', (type, name, value, place, code) => {
    expect(refusalOf(() => Destination.of(type, { ...LEAST[type], [name]: value }))).toMatchObject({
      attr: `destination__config__${place}`,
      code,
    });
  });

  it('takes True and False where BE-14 says so', () => {
    const postgres = Destination.of('Postgres', { ...LEAST.Postgres, has_self_signed_cert: 'True' });
    expect(postgres.config).toMatchObject({ has_self_signed_cert: true });
  });

  it.each<[Config, string | null]>([
    [{ file_format: 'JSONLines', compression: 'gzip' }, null],
    [{ compression: 'brotli' }, null],
    [{ file_format: 'Parquet', compression: 'zstd' }, null],
    [{ file_format: 'Parquet', compression: null }, null],
    [
      { file_format: 'unknown' },
      "File format unknown is not supported. Supported file formats are ['Parquet', 'JSONLines']",
    ],
    [
      { compression: 'zstd' },
      "Compression zstd is not supported for file format JSONLines. Supported compressions are ['gzip', 'brotli']",
    ],
    [
      { file_format: 'Parquet', compression: 'rar' },
      'Compression rar is not supported for file format Parquet. ' +
        "Supported compressions are ['zstd', 'lz4', 'snappy', 'gzip', 'brotli']",
    ],
  ])('S3 and File with %j (BE-20)', (config, detail) => {
    for (const type of ['S3', 'File'] as const) {
      const result = refusalOf(() => Destination.of(type, { ...LEAST[type], ...config }));
      expect(result).toEqual(detail === null ? NOTHING : unsupported(detail));
    }
  });

  it.each<[Config, string | null]>([
    [{ encryption: null, kms_key_id: null }, null],
    [{ encryption: 'AES256' }, null],
    [{ encryption: 'aws:kms', kms_key_id: 'arn:aws:kms:eu-west-1:1:key/2' }, null],
    [{ encryption: 'aws:kms' }, null],
    [
      { encryption: 'rot13' },
      "Value rot13 is not supported for encryption. Supported values are ['AES256', 'aws:kms']",
    ],
    [{ kms_key_id: 'k' }, "'kms_key_id' is supported for encryption aws:kms only"],
    [{ encryption: 'AES256', kms_key_id: 'k' }, "'kms_key_id' is supported for encryption aws:kms only"],
  ])('S3 encrypts with %j', (config, detail) => {
    const result = refusalOf(() => Destination.of('S3', { ...LEAST.S3, ...config }));
    expect(result).toEqual(detail === null ? NOTHING : unsupported(detail));
  });

  const FORMS: [DestinationTypeName, string, string[], string[]][] = [
    [
      'File',
      'prefix',
      ['', 'a/{year}/{table}-', './a', 'a..b/..c', 'ü/ ~'],
      ['/etc', '..', '../a', 'a/../../b', 'a/..', 'a\\..\\b', 'a\0b'],
    ],
    [
      'Postgres',
      'host',
      ['db', 'db.example.com', 'db.example.com.', 'my_db', '10.0.0.1', '::1', 'fe80::1'],
      ['', '/var/run/postgresql', 'a b', 'u@h', 'h:5432', 'h/x', '[::1]', 'a..b', 'x'.repeat(254)],
    ],
    ['Postgres', 'table_name', ['events', 'Ta"ble', 'é'.repeat(31)], ['', 'é'.repeat(32), 'a\0']],
    ['Redshift', 'schema', ['public', 'x'.repeat(63)], ['', 'x'.repeat(64)]],
    ['Redshift', 'database', ['dev'], ['']],
    ['Postgres', 'user', ['u'], ['']],
    ['HTTP', 'token', ['t'], ['']],
    [
      'HTTP',
      'url',
      ['http://example.com', 'https://example.com:8443/batch/?a=b', 'HTTPS://[2001:db8::1]/'],
      [
        '',
        'example.com',
        'ftp://example.com',
        'file:///etc/passwd',
        'https://',
        'https://u@h/',
        'http://:p@h',
      ],
    ],
    ['S3', 'endpoint_url', ['http://localhost:9000'], ['s3://bucket', 'https://u:p@h', '']],
    ['S3', 'region', ['eu-central-1', 'auto'], ['', 'x.example.com/', 'a@b', 'a.b']],
    ['S3', 'bucket_name', ['b', 'my_Bucket.1', 'arn:aws:s3:eu-west-1:1:accesspoint/a'], ['', 'a/b', 'a@b']],
  ];

  it.each(FORMS)('%s takes a %s of its form alone', (type, name, good, bad) => {
    const withValue = (value: string) =>
      refusalOf(() => Destination.of(type, { ...LEAST[type], [name]: value }));
    for (const value of good) expect([value, withValue(value)]).toEqual([value, NOTHING]);
    for (const value of bad) {
      const refusal = {
        attr: `destination__config__${name}`,
        code: 'invalid_input',
        detail: expect.any(String),
      };
      expect([value, withValue(value)]).toEqual([value, refusal]);
    }
  });

  it('Redshift inserts alone, and ignores what is for copying (BE-22)', () => {
    const credentials = { aws_access_key_id: 'id', aws_secret_access_key: 'key' };
    const secrets = { bucket_credentials: credentials, authorization: 'arn:aws:iam::1:role/copy' };
    const copy_inputs = { s3_bucket: 'b', region_name: 'r', ...secrets };
    expect(
      refusalOf(() => Destination.of('Redshift', { ...LEAST.Redshift, mode: 'COPY', copy_inputs })),
    ).toEqual(unsupported("Value COPY is not supported for mode. Supported values are ['INSERT']"));
    const inserting = Destination.of('Redshift', { ...LEAST.Redshift, mode: 'INSERT', copy_inputs });
    expect(inserting.config.copy_inputs).toEqual({ s3_bucket: 'b', region_name: 'r' });
    expect(inserting.secrets.copy_inputs).toEqual(secrets);
    // Nested fields are merged as well, so that the credentials need not be sent again.
    const moved = inserting.changed({ config: { copy_inputs: { region_name: 'eu' } } });
    expect(moved.config.copy_inputs).toEqual({ s3_bucket: 'b', region_name: 'eu' });
    expect(moved.secrets).toEqual(inserting.secrets);
    const unknown = { ...LEAST.Redshift, copy_inputs: { password: 'x' } };
    expect(refusalOf(() => Destination.of('Redshift', unknown))).toEqual(
      malformed("Configuration has unknown field/s: 'copy_inputs.password'"),
    );
    const json = { ...LEAST.Redshift, properties_data_type: 'json' };
    expect(refusalOf(() => Destination.of('Redshift', json))).toEqual(
      unsupported(
        "Value json is not supported for properties_data_type. Supported values are ['varchar', 'super']",
      ),
    );
  });

  it('completes what was given with the defaults, for a writer', () => {
    expect(Destination.of('Postgres', { ...LEAST.Postgres, schema: 's' }).complete).toEqual({
      ...LEAST.Postgres,
      schema: 's',
      table_name: 'events',
      port: 5432,
      has_self_signed_cert: false,
      ssl_mode: 'require',
    });
  });

  it('of what an earlier version stored is refused when it is used, and can be replaced', () => {
    const gone = {
      attr: 'destination__type',
      code: 'invalid_choice',
      detail: `"Snowflake" is no longer a destination. Supported: ${DESTINATION_TYPE_NAMES.join(', ')}`,
    };
    const snowflake = Destination.stored('Snowflake' as DestinationTypeName, { account: 'a' }, { user: 'u' });
    expect(refusalOf(() => snowflake.complete)).toEqual(gone);
    expect(refusalOf(() => snowflake.changed({ config: { account: 'b' } }))).toEqual(gone);
    expect(snowflake.changed({ type: 'NoOp' }).type).toBe('NoOp');
    const copying = Destination.stored(
      'Redshift',
      { host: 'h', database: 'd', mode: 'COPY' },
      LEAST.Redshift,
    );
    expect(refusalOf(() => copying.complete)).toMatchObject({ attr: 'destination', code: 'invalid_input' });
    expect(copying.changed({ config: { mode: 'INSERT' } }).complete).toMatchObject({ mode: 'INSERT' });
  });

  it.each<[DestinationTypeName, Config, string]>([
    [
      'Postgres',
      { host: 'h2' },
      "Give 'user', 'password' again: a change of 'host' sends them to another place.",
    ],
    [
      'Redshift',
      { port: 5440 },
      "Give 'user', 'password' again: a change of 'port' sends them to another place.",
    ],
    [
      'Postgres',
      { host: 'h2', port: 1, user: 'u' },
      "Give 'password' again: a change of 'host', 'port' sends it to another place.",
    ],
    [
      'HTTP',
      { url: 'https://b.example.com' },
      "Give 'token' again: a change of 'url' sends it to another place.",
    ],
    [
      'S3',
      { endpoint_url: 'https://b.example.com', aws_access_key_id: 'i' },
      "Give 'aws_secret_access_key' again: a change of 'endpoint_url' sends it to another place.",
    ],
  ])('%s never sends stored secrets to another place: %j', (type, config, detail) => {
    const secrets = Object.fromEntries(SECRETS[type].map((name) => [name, 'stored']));
    const destination = Destination.of(type, { ...LEAST[type], ...secrets });
    const [, first] = /'(\w+)'/.exec(detail) ?? [];
    const refusal = { attr: `destination__config__${first}`, code: 'required', detail };
    expect(refusalOf(() => destination.changed({ config }))).toEqual(refusal);
    const again = { ...config, ...Object.fromEntries(SECRETS[type].map((name) => [name, 'new'])) };
    expect(destination.changed({ config: again }).complete).toMatchObject(again);
  });

  it('takes a place that is the same, or a change where there is nothing to keep', () => {
    const postgres = Destination.of('Postgres', LEAST.Postgres);
    const same = { host: 'h', port: 5432, database: 'other', table_name: 'other' };
    expect(postgres.changed({ config: same }).secrets).toEqual({ user: 'u', password: 'p' });
    const bare = Destination.of('S3', { ...LEAST.S3, aws_access_key_id: null });
    expect(bare.changed({ config: { endpoint_url: 'https://b.example.com' } }).config).toMatchObject({
      endpoint_url: 'https://b.example.com',
    });
    const keyed = Destination.of('S3', { ...LEAST.S3, aws_secret_access_key: 's', endpoint_url: null });
    const cleared = { endpoint_url: 'https://b.example.com', aws_secret_access_key: null };
    expect(keyed.changed({ config: cleared }).secrets).toEqual({ aws_secret_access_key: null });
    // Optional secrets are kept by a PUT as well, so it is held to the same.
    const whole = { ...LEAST.S3, endpoint_url: 'https://b.example.com' };
    expect(refusalOf(() => keyed.changed({ config: whole, whole: true }))).toMatchObject({
      code: 'required',
    });
    expect(keyed.changed({ config: { ...LEAST.S3, endpoint_url: null }, whole: true }).secrets).toEqual({
      aws_secret_access_key: 's',
    });
  });

  it('is put together again from what was stored', () => {
    const before = Destination.of('Postgres', { ...LEAST.Postgres, port: 5433 });
    const after = Destination.stored('Postgres', before.config, before.secrets);
    expect(after).toEqual(before);
  });

  it('changes by merging, and starts from nothing when its type changes (BE-26)', () => {
    const postgres = Destination.of('Postgres', LEAST.Postgres);
    const moved = postgres.changed({ config: { database: 'd2' } });
    expect([moved.config, moved.secrets]).toEqual([
      { host: 'h', database: 'd2' },
      { user: 'u', password: 'p' },
    ]);
    expect(refusalOf(() => postgres.changed({ type: 'Redshift' }))).toEqual(
      malformed("Configuration missing required field: 'user'"),
    );
    expect(postgres.changed({ type: 'NoOp' }).secrets).toEqual({});
    expect(refusalOf(() => postgres.changed({ config: { host: 'h2' }, whole: true }))).toEqual(
      malformed("Configuration missing required field: 'user'"),
    );
    const whole = Destination.of('S3', { ...LEAST.S3, aws_secret_access_key: 's' }).changed({
      config: { ...LEAST.S3, region: 'r2' },
      whole: true,
    });
    expect([whole.config.region, whole.secrets]).toEqual(['r2', { aws_secret_access_key: 's' }]);
  });
});

const without = (config: Config, names: readonly string[]): Config =>
  Object.fromEntries(Object.entries(config).filter(([name]) => !names.includes(name)));
