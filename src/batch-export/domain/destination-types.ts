import { DestinationTypeGone } from './destination-errors';
import {
  type Fields,
  flag,
  optionalSecret,
  optionalText,
  requiredSecret,
  requiredText,
  text,
} from './destination-fields';
import { encryptsWithKeyOfKms, type Rule, supportsFileFormat } from './destination-rules';
import { BUCKET, FILLED, HOST, IDENTIFIER, INNER_PATH, REGION, WEB_ADDRESS } from './text-forms';

export interface DestinationType {
  /** Where it is, for the documentation; a part of a sentence. */
  readonly about: string;
  readonly fields: Fields;
  /** What must hold of the configuration as a whole, defaults filled in. */
  readonly rules: readonly Rule[];
  /** Whether a backfill may be asked for without an end (BE-33). */
  readonly openEnded: boolean;
  /** It takes events as they are captured: neither persons, nor the fields of a query. */
  readonly eventsOnly: boolean;
}

const eventFilters: Fields = {
  exclude_events: { type: 'list', nullable: true, about: 'events of these names are left out' },
  include_events: { type: 'list', nullable: true, about: 'events of these names alone' },
};

const file: Fields = {
  compression: optionalText,
  file_format: { ...text, default: 'JSONLines' },
  max_file_size_mb: { type: 'int', nullable: true, min: 1, about: 'a larger file is split' },
};

const PREFIX = {
  max: 512,
  about: '`{year}`, `{month}`, `{day}`, `{hour}`, `{minute}` and `{table}` are filled in',
};
const URL_OF_ANOTHER = { max: 2048, form: WEB_ADDRESS, leads: 'to url' } as const;
const port = (standard: number) =>
  ({ type: 'int', default: standard, min: 1, max: 65_535, leads: 'to port' }) as const;

const postgres: Fields = {
  user: { ...requiredSecret, form: FILLED },
  password: requiredSecret,
  host: { ...requiredText, form: HOST, leads: 'to host' },
  database: { ...requiredText, form: IDENTIFIER },
  schema: { ...text, default: 'public', form: IDENTIFIER },
  table_name: {
    ...text,
    default: 'events',
    form: IDENTIFIER,
    about: 'made where it is missing, never altered',
  },
  port: port(5432),
  has_self_signed_cert: { ...flag, booleanText: true, about: 'TLS without a check of the certificate' },
  ssl_mode: {
    ...text,
    default: 'require',
    choices: ['require', 'disable'],
    about: 'a server on the same machine may go without TLS anyway',
  },
};

const awsCredentials: Fields = { aws_access_key_id: text, aws_secret_access_key: text };

/** Where data can go (BE-13, BE-14). Another destination is another entry here, and a writer. */
export const DESTINATION_TYPES = {
  S3: {
    about: 'files in a bucket of Amazon S3, or of a server that is compatible',
    fields: {
      bucket_name: { ...requiredText, form: BUCKET },
      region: { ...requiredText, form: REGION },
      prefix: { ...requiredText, ...PREFIX },
      aws_access_key_id: optionalSecret,
      aws_secret_access_key: optionalSecret,
      encryption: { ...optionalText, choices: ['AES256', 'aws:kms'] },
      kms_key_id: { ...optionalText, about: 'for encryption aws:kms' },
      endpoint_url: { ...optionalText, ...URL_OF_ANOTHER },
      ...file,
      use_virtual_style_addressing: flag,
      ...eventFilters,
    },
    rules: [supportsFileFormat, encryptsWithKeyOfKms],
    openEnded: false,
    eventsOnly: false,
  },
  Postgres: {
    about:
      'a table of a PostgreSQL database; with `hogql_query` it has a column `_hedgerow_interval` (text) besides, by ' +
      'which a run that is repeated replaces its records',
    fields: { ...postgres, ...eventFilters },
    rules: [],
    openEnded: false,
    eventsOnly: false,
  },
  Redshift: {
    about: 'a table of an Amazon Redshift database, otherwise as Postgres',
    fields: {
      ...postgres,
      port: port(5439),
      properties_data_type: { ...text, default: 'varchar', choices: ['varchar', 'super'] },
      mode: { ...text, default: 'INSERT', choices: ['INSERT'] },
      // Kept for clients that send it; it belongs to mode COPY (BE-22).
      copy_inputs: {
        type: 'dict',
        nullable: true,
        about: 'ignored',
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
    rules: [],
    openEnded: false,
    eventsOnly: false,
  },
  HTTP: {
    about:
      'a capture endpoint, such as that of another Hedgerow; it takes events alone, without `hogql_query`',
    fields: {
      url: {
        ...requiredText,
        ...URL_OF_ANOTHER,
        about: 'of a capture endpoint; without a path it is that of `/batch/`',
      },
      token: { ...requiredSecret, form: FILLED, about: 'the API token of the project that receives' },
      ...eventFilters,
    },
    rules: [],
    openEnded: true,
    eventsOnly: true,
  },
  File: {
    about: 'files below the folder `EXPORT_DIR` of the server',
    fields: {
      prefix: { ...text, ...PREFIX, default: '', form: INNER_PATH },
      ...file,
      ...eventFilters,
    },
    rules: [supportsFileFormat],
    openEnded: false,
    eventsOnly: false,
  },
  NoOp: {
    about: 'nowhere: records are read and counted',
    fields: { arg: { ...text, default: '' }, ...eventFilters },
    rules: [],
    openEnded: true,
    eventsOnly: false,
  },
} as const satisfies Record<string, DestinationType>;

export type DestinationTypeName = keyof typeof DESTINATION_TYPES;

export const DESTINATION_TYPE_NAMES = Object.keys(DESTINATION_TYPES) as readonly DestinationTypeName[];

/** False for one that is stored, but was of an earlier version. */
export const isDestinationType = (name: string): name is DestinationTypeName =>
  Object.hasOwn(DESTINATION_TYPES, name);

/** @throws DestinationTypeGone for one that is stored, but was of an earlier version */
export function destinationType(name: string): DestinationType {
  if (!isDestinationType(name)) throw new DestinationTypeGone(name, DESTINATION_TYPE_NAMES);
  return DESTINATION_TYPES[name];
}
