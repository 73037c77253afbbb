import { withDefaults } from './configuration';
import type { Config } from './destination-rules';
import { type DestinationTypeName, destinationType, isDestinationType } from './destination-types';

const table = ({ schema, table_name, database, host, port }: Config) =>
  `table ${schema}.${table_name} of database ${database} at ${host}:${port}`;

const below = ({ prefix, file_format, compression }: Config) =>
  `${prefix ? ` below ${prefix}` : ''}, ${file_format}${compression ? ` with ${compression}` : ''}`;

/** Where the data goes, said to people: of each type what tells one destination from another. */
const WORDS: Record<DestinationTypeName, (config: Config) => string> = {
  S3: (config) =>
    `bucket ${config.bucket_name}${config.endpoint_url ? ` at ${config.endpoint_url}` : ''}${below(config)}`,
  Postgres: table,
  Redshift: table,
  HTTP: ({ url }) => String(url),
  File: (config) => `files${below(config)}`,
  NoOp: () => 'nowhere',
};

/** @param config what may be shown of it; of a type that is none any more, its name is all that is said */
export const inWords = (type: string, config: Config): string =>
  isDestinationType(type)
    ? `${type}: ${WORDS[type](withDefaults(destinationType(type).fields, config))}`
    : type;
