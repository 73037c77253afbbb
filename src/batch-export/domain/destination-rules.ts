import { DestinationUnsupported, listed, shortened } from './destination-errors';

/** What a destination is set up with; its fields are those of its type. */
export type Config = Readonly<Record<string, unknown>>;

/** @throws DestinationUnsupported */
export type Rule = (config: Config) => void;

export const isConfig = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const COMPRESSIONS: Readonly<Record<string, readonly string[]>> = {
  Parquet: ['zstd', 'lz4', 'snappy', 'gzip', 'brotli'],
  JSONLines: ['gzip', 'brotli'],
};

/** The file format is known, and the compression is one it can have; null is none (BE-20). */
export function supportsFileFormat({ file_format, compression }: Config): void {
  const format = String(file_format);
  const compressions = Object.hasOwn(COMPRESSIONS, format) ? COMPRESSIONS[format] : undefined;
  if (!compressions) {
    throw new DestinationUnsupported(
      `File format ${shortened(format)} is not supported. ` +
        `Supported file formats are ${listed(Object.keys(COMPRESSIONS))}`,
    );
  }
  if (compression === undefined || compression === null) return;
  if (!compressions.includes(String(compression))) {
    throw new DestinationUnsupported(
      `Compression ${shortened(String(compression))} is not supported for file format ${format}. ` +
        `Supported compressions are ${listed(compressions)}`,
    );
  }
}

/** The secret that the authentication needs is there (BE-21). */
export function hasCredentialsOfAuthentication(config: Config): void {
  const { authentication_type, password, private_key } = config;
  if (authentication_type === 'password' && !password) {
    throw new DestinationUnsupported('Password is required if authentication type is password');
  }
  if (authentication_type === 'keypair' && !private_key) {
    throw new DestinationUnsupported('Private key is required if authentication type is key pair');
  }
}

const hasCredentials = (value: unknown): boolean =>
  isConfig(value) && Boolean(value.aws_access_key_id) && Boolean(value.aws_secret_access_key);

/** Mode COPY knows its bucket and how it gets in; mode INSERT does not look at these (BE-22). */
export function copiesWithInputs({ mode, copy_inputs }: Config): void {
  if (mode !== 'COPY') return;
  const inputs = isConfig(copy_inputs) ? copy_inputs : {};
  const { s3_bucket, region_name, bucket_credentials, authorization } = inputs;
  const given = {
    s3_bucket: Boolean(s3_bucket),
    region_name: Boolean(region_name),
    bucket_credentials: hasCredentials(bucket_credentials),
    authorization: typeof authorization === 'string' ? authorization !== '' : hasCredentials(authorization),
  };
  const missing = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [] : [name]));
  if (missing.length > 0) {
    throw new DestinationUnsupported(
      `Missing required inputs for mode COPY in 'copy_inputs': ${listed(missing)}`,
    );
  }
}
