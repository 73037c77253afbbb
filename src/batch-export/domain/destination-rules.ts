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

/** A key of KMS encrypts nothing unless KMS encrypts. */
export function encryptsWithKeyOfKms({ encryption, kms_key_id }: Config): void {
  if (kms_key_id !== undefined && kms_key_id !== null && encryption !== 'aws:kms') {
    throw new DestinationUnsupported("'kms_key_id' is supported for encryption aws:kms only");
  }
}
