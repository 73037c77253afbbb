import {
  copiesWithInputs,
  hasCredentialsOfAuthentication,
  type Rule,
  supportsFileFormat,
} from './destination-rules';

export type FieldType = 'str' | 'int' | 'bool' | 'list' | 'dict';

/** A field of a destination's configuration (BE-14). */
export interface FieldSpec {
  /** Lists are lists of texts. */
  readonly type: FieldType | readonly FieldType[];
  readonly required?: boolean;
  /** Sealed at rest and in no answer (BE-15). */
  readonly secret?: boolean;
  readonly nullable?: boolean;
  /** What holds where the field is not given; it is not stored. */
  readonly default?: string | number | boolean;
  readonly choices?: readonly string[];
  /** Of an integer. */
  readonly min?: number;
  /** Of an integer; of a text, in characters. */
  readonly max?: number;
  /** The texts `True` and `False` are understood as well. */
  readonly booleanText?: boolean;
  /** Of a dict. */
  readonly fields?: Fields;
}

export type Fields = Readonly<Record<string, FieldSpec>>;

export interface DestinationType {
  readonly fields: Fields;
  /** What must hold of the configuration as a whole, defaults filled in. */
  readonly rules: readonly Rule[];
  /** Whether a backfill may be asked for without an end (BE-33). */
  readonly openEnded: boolean;
}

const text: FieldSpec = { type: 'str' };
const requiredText: FieldSpec = { type: 'str', required: true };
const requiredSecret: FieldSpec = { type: 'str', required: true, secret: true };
const optionalText: FieldSpec = { type: 'str', nullable: true };
const optionalSecret: FieldSpec = { type: 'str', nullable: true, secret: true };
const privateKey = { max: 16_384 };
const flag = { type: 'bool', default: false } as const;

const eventFilters: Fields = {
  exclude_events: { type: 'list', nullable: true },
  include_events: { type: 'list', nullable: true },
};

const postgres: Fields = {
  user: requiredSecret,
  password: requiredSecret,
  host: requiredText,
  database: requiredText,
  schema: { ...text, default: 'public' },
  table_name: { ...text, default: 'events' },
  port: { type: 'int', default: 5432, min: 1, max: 65_535 },
  has_self_signed_cert: { ...flag, booleanText: true },
};

const awsCredentials: Fields = { aws_access_key_id: text, aws_secret_access_key: text };

/** Where data can go (BE-13, BE-14). Another destination is another entry here. */
export const DESTINATION_TYPES = {
  S3: {
    fields: {
      bucket_name: requiredText,
      region: requiredText,
      prefix: requiredText,
      aws_access_key_id: optionalSecret,
      aws_secret_access_key: optionalSecret,
      compression: optionalText,
      encryption: optionalText,
      kms_key_id: optionalText,
      endpoint_url: optionalText,
      file_format: { ...text, default: 'JSONLines' },
      max_file_size_mb: { type: 'int', nullable: true, min: 1 },
      use_virtual_style_addressing: flag,
      ...eventFilters,
    },
    rules: [supportsFileFormat],
    openEnded: false,
  },
  Snowflake: {
    fields: {
      account: requiredText,
      user: requiredSecret,
      database: requiredText,
      warehouse: requiredText,
      schema: requiredText,
      table_name: { ...text, default: 'events' },
      role: optionalText,
      authentication_type: { ...text, default: 'password', choices: ['password', 'keypair'] },
      password: optionalSecret,
      private_key: { ...optionalSecret, ...privateKey },
      private_key_passphrase: optionalSecret,
      ...eventFilters,
    },
    rules: [hasCredentialsOfAuthentication],
    openEnded: false,
  },
  Postgres: { fields: { ...postgres, ...eventFilters }, rules: [], openEnded: false },
  Redshift: {
    fields: {
      ...postgres,
      port: { type: 'int', default: 5439, min: 1, max: 65_535 },
      properties_data_type: { ...text, default: 'varchar' },
      mode: { ...text, default: 'INSERT', choices: ['INSERT', 'COPY'] },
      copy_inputs: {
        type: 'dict',
        nullable: true,
        fields: {
          s3_bucket: text,
          region_name: text,
          s3_key_prefix: text,
          bucket_credentials: { type: 'dict', secret: true, fields: awsCredentials },
          // The ARN of a role, or credentials.
          authorization: { type: ['str', 'dict'], secret: true, fields: awsCredentials },
        },
      },
      ...eventFilters,
    },
    rules: [copiesWithInputs],
    openEnded: false,
  },
  BigQuery: {
    fields: {
      project_id: requiredText,
      dataset_id: requiredText,
      table_id: { ...text, default: 'events' },
      private_key: { ...requiredSecret, ...privateKey },
      private_key_id: requiredSecret,
      token_uri: requiredSecret,
      client_email: requiredSecret,
      use_json_type: flag,
      ...eventFilters,
    },
    rules: [],
    openEnded: false,
  },
  HTTP: {
    fields: { url: requiredText, token: requiredSecret, ...eventFilters },
    rules: [],
    openEnded: true,
  },
  NoOp: {
    fields: { arg: { ...text, default: '' }, ...eventFilters },
    rules: [],
    openEnded: true,
  },
} as const satisfies Record<string, DestinationType>;

export type DestinationTypeName = keyof typeof DESTINATION_TYPES;

/** In the order in which BE-13 names them. */
export const DESTINATION_TYPE_NAMES = Object.keys(DESTINATION_TYPES) as readonly DestinationTypeName[];

export const destinationType = (name: DestinationTypeName): DestinationType => DESTINATION_TYPES[name];
