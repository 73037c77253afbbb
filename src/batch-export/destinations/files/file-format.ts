import { type BrotliOptions, constants, createBrotliCompress, createGzip, type ZlibOptions } from 'node:zlib';
import type { DeliveredField, Delivery } from '../../domain/delivery';
import type { Config } from '../../domain/destination-rules';
import { gathered, through } from './byte-streams';
import { PARQUET_CODECS } from './parquet/parquet-codecs';
import { encodeParquet } from './parquet/parquet-file';

export type Bytes = AsyncIterable<Uint8Array>;

/** How records become a file. */
export interface FileFormat {
  /** What names end with. */
  readonly suffix: string;
  /** The form in which the records are wanted. */
  readonly reads: Parameters<Delivery['read']>[0];
  /** In constant memory, at the pace of the one who reads. */
  encode(records: AsyncIterable<Buffer>, fields: readonly DeliveredField[]): Bytes;
}

/** A large output is fewer trips to zlib's threads. */
const CHUNK_SIZE = 256 * 1024;
const GZIP: ZlibOptions = { level: 6, chunkSize: CHUNK_SIZE };
/** Smaller files than gzip in less time; the library's own 11 takes a hundred times as long. */
const BROTLI: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 }, chunkSize: CHUNK_SIZE };

const jsonLines = (suffix: string, encode: (records: AsyncIterable<Buffer>) => Bytes): FileFormat => ({
  suffix: `.jsonl${suffix}`,
  reads: 'json-lines',
  encode: (records) => encode(gathered(records, CHUNK_SIZE)),
});

const parquet = (suffix: string, codec: keyof typeof PARQUET_CODECS): FileFormat => ({
  suffix: `.parquet${suffix}`,
  reads: 'copy-text',
  encode: (records, fields) => encodeParquet(records, fields, PARQUET_CODECS[codec]),
});

/** By format and compression (BE-20). */
const FORMATS: Readonly<Record<string, Readonly<Record<string, FileFormat>>>> = {
  JSONLines: {
    none: jsonLines('', (records) => records),
    gzip: jsonLines('.gz', (records) => through(records, createGzip(GZIP))),
    brotli: jsonLines('.br', (records) => through(records, createBrotliCompress(BROTLI))),
  },
  Parquet: {
    none: parquet('', 'none'),
    zstd: parquet('.zst', 'zstd'),
    lz4: parquet('.lz4', 'lz4'),
    snappy: parquet('.sz', 'snappy'),
    gzip: parquet('.gz', 'gzip'),
    brotli: parquet('.br', 'brotli'),
  },
};

/** @throws Error for what is neither: a configuration is checked before it is stored */
export function fileFormatOf({ file_format, compression }: Config): FileFormat {
  const format = FORMATS[String(file_format)]?.[String(compression ?? 'none')];
  if (!format) throw new Error(`There is no ${file_format} file with compression ${compression}`);
  return format;
}
