import { Invalid } from '../../shared/domain/domain-error';
import { Destination } from './destination';
import type { Config } from './destination-rules';
import { DESTINATION_TYPE_NAMES, type DestinationTypeName } from './destination-types';

/** The least that each type needs. */
const LEAST: Record<DestinationTypeName, Config> = {
  S3: { bucket_name: 'b', region: 'r', prefix: 'p/' },
  Snowflake: { account: 'a', user: 'u', database: 'd', warehouse: 'w', schema: 's', password: 'p' },
  Postgres: { user: 'u', password: 'p', host: 'h', database: 'd' },
  Redshift: { user: 'u', password: 'p', host: 'h', database: 'd' },
  BigQuery: {
    project_id: 'p',
    dataset_id: 'd',
    private_key: 'k',
    private_key_id: 'i',
    token_uri: 't',
    client_email: 'e',
  },
  HTTP: { url: 'https://example.com', token: 't' },
  NoOp: {},
};

const SECRETS: Record<DestinationTypeName, readonly string[]> = {
  S3: ['aws_access_key_id', 'aws_secret_access_key'],
  Snowflake: ['user', 'password', 'private_key', 'private_key_passphrase'],
  Postgres: ['user', 'password'],
  Redshift: ['user', 'password'],
  BigQuery: ['private_key', 'private_key_id', 'token_uri', 'client_email'],
  HTTP: ['token'],
  NoOp: [],
};

function refusalOf(work: () => unknown): object {
  try {
    work();
  } catch (error) {
    if (error instanceof Invalid) return { attr: error.attr, code: error.code, detail: error.message };
    throw error;
  }
  return { nothing: 'was refused' };
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
    const detail =
      name === 'password' && type === 'Snowflake'
        ? unsupported('Password is required if authentication type is password')
        : malformed(`Configuration missing required field: '${name}'`);
    expect(refusalOf(() => Destination.of(type, config))).toEqual(detail);
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
    ['BigQuery', 'private_key', 'x'.repeat(16_385), 'private_key', 'max_length'],
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

  it('takes private keys longer than other texts, and True and False where BE-14 says so', () => {
    const private_key = 'x'.repeat(16_384);
    expect(Destination.of('BigQuery', { ...LEAST.BigQuery, private_key }).secrets).toMatchObject({
      private_key,
    });
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
  ])('S3 with %j (BE-20)', (config, detail) => {
    const result = refusalOf(() => Destination.of('S3', { ...LEAST.S3, ...config }));
    expect(result).toEqual(detail === null ? { nothing: 'was refused' } : unsupported(detail));
  });

  it('Snowflake needs the secret of its authentication; stored ones count (BE-21)', () => {
    const { password: _, ...bare } = LEAST.Snowflake;
    const noPassword = unsupported('Password is required if authentication type is password');
    const noKey = unsupported('Private key is required if authentication type is key pair');
    expect(refusalOf(() => Destination.of('Snowflake', bare))).toEqual(noPassword);
    expect(refusalOf(() => Destination.of('Snowflake', { ...bare, password: null }))).toEqual(noPassword);
    const keypair = { authentication_type: 'keypair' };
    expect(refusalOf(() => Destination.of('Snowflake', { ...bare, ...keypair }))).toEqual(noKey);
    const withKey = Destination.of('Snowflake', LEAST.Snowflake).changed({
      config: { ...keypair, private_key: 'k' },
    });
    const back = withKey.changed({ config: { authentication_type: 'password' } });
    expect(back.secrets).toEqual({ user: 'u', password: 'p', private_key: 'k' });
    expect(refusalOf(() => back.changed({ config: { password: null } }))).toEqual(noPassword);
    expect(withKey.changed({ config: { password: null } }).secrets).toMatchObject({ password: null });
    expect(refusalOf(() => back.changed({ config: { authentication_type: 'sso' } }))).toEqual(
      unsupported(expect.stringContaining("Supported values are ['password', 'keypair']")),
    );
  });

  it('Redshift copies with inputs and inserts without (BE-22)', () => {
    const credentials = { aws_access_key_id: 'id', aws_secret_access_key: 'key' };
    const inputs = {
      s3_bucket: 'b',
      region_name: 'r',
      bucket_credentials: credentials,
      authorization: 'arn:aws:iam::1:role/copy',
    };
    const copying = (copy_inputs: unknown) =>
      Destination.of('Redshift', { ...LEAST.Redshift, mode: 'COPY', copy_inputs });
    const shown = copying(inputs);
    expect(shown.config.copy_inputs).toEqual({ s3_bucket: 'b', region_name: 'r' });
    expect(shown.secrets.copy_inputs).toEqual({
      bucket_credentials: credentials,
      authorization: inputs.authorization,
    });
    expect(refusalOf(() => copying({ ...inputs, authorization: credentials }))).toEqual({
      nothing: 'was refused',
    });
    for (const bad of [
      null,
      {},
      ...Object.keys(inputs).map((name) => without(inputs, [name])),
      { ...inputs, bucket_credentials: { aws_access_key_id: 'id' } },
      { ...inputs, authorization: '' },
      { ...inputs, authorization: {} },
    ]) {
      expect(refusalOf(() => copying(bad))).toEqual(unsupported(expect.stringContaining('Missing required')));
    }
    const inserting = { ...LEAST.Redshift, mode: 'INSERT', copy_inputs: { s3_bucket: '' } };
    expect(refusalOf(() => Destination.of('Redshift', inserting))).toEqual({ nothing: 'was refused' });
    // Nested fields are merged as well, so that the credentials need not be sent again.
    const moved = shown.changed({ config: { copy_inputs: { region_name: 'eu' } } });
    expect(moved.config.copy_inputs).toEqual({ s3_bucket: 'b', region_name: 'eu' });
    expect(moved.secrets).toEqual(shown.secrets);
    expect(refusalOf(() => copying({ ...inputs, password: 'x' }))).toEqual(
      malformed("Configuration has unknown field/s: 'copy_inputs.password'"),
    );
  });

  it('is put together again from what was stored', () => {
    const before = Destination.of('Postgres', { ...LEAST.Postgres, port: 5433 });
    const after = Destination.stored('Postgres', before.config, before.secrets);
    expect(after).toEqual(before);
  });

  it('changes by merging, and starts from nothing when its type changes (BE-26)', () => {
    const postgres = Destination.of('Postgres', LEAST.Postgres);
    const moved = postgres.changed({ config: { host: 'h2' } });
    expect([moved.config, moved.secrets]).toEqual([
      { host: 'h2', database: 'd' },
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
