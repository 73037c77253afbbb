import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Compress = (page: Uint8Array) => Promise<Uint8Array>;

/** How the pages of a Parquet file are compressed. */
export interface ParquetCodec {
  /** As the format calls it. */
  readonly name: 'UNCOMPRESSED' | 'ZSTD' | 'LZ4_RAW' | 'SNAPPY' | 'GZIP' | 'BROTLI';
  /** Loads what compresses. */
  load(): Promise<Compress>;
}

const gzipped = promisify<Uint8Array, { level: number }, Buffer>(gzip);
const brotlied = promisify<Uint8Array, { params: Record<number, number> }, Buffer>(brotliCompress);

/** The size of a block, which Parquet keeps elsewhere, is before what lz4-wasm-nodejs makes. In bytes. */
const LZ4_SIZE = 4;
const ZSTD_LEVEL = 3;
/** A page is no larger than the window, but for one with a large value. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 20 } };
/** Of the threads that this process has for files and names as well. */
const MOST_THREADS = 2;

/** Loaded once: a second `init` would take the memory from under those who compress. */
let zstd: ReturnType<typeof loadZstd> | undefined;

async function loadZstd() {
  const { compress, init } = await import('@bokuweb/zstd-wasm');
  await init();
  return compress;
}

/** By the names of BE-20. */
export const PARQUET_CODECS = {
  none: { name: 'UNCOMPRESSED', load: async () => async (page) => page },
  zstd: {
    name: 'ZSTD',
    load: async () => {
      zstd ??= loadZstd();
      const compress = await zstd;
      return inTurns((page) => compress(page, ZSTD_LEVEL));
    },
  },
  lz4: {
    name: 'LZ4_RAW',
    load: async () => {
      const { compress } = await import('lz4-wasm-nodejs');
      return inTurns((page) => compress(page).subarray(LZ4_SIZE));
    },
  },
  snappy: {
    name: 'SNAPPY',
    load: async () => {
      const { snappyCompress } = await import('hyparquet-writer/src/snappy.js');
      return inTurns(snappyCompress);
    },
  },
  gzip: { name: 'GZIP', load: async () => inThreads((page) => gzipped(page, { level: 6 })) },
  brotli: { name: 'BROTLI', load: async () => inThreads((page) => brotlied(page, BROTLI)) },
} as const satisfies Record<string, ParquetCodec>;

/** One page in each turn of the event loop, which waits for it a few milliseconds, not for all pages there are. */
function inTurns(compress: (page: Uint8Array) => Uint8Array): Compress {
  let last: Promise<unknown> = Promise.resolve();
  return (page) => {
    const compressed = last.then(() => setImmediate()).then(() => compress(page));
    last = compressed.catch(() => undefined);
    return compressed;
  };
}

/** A few pages at a time: each takes memory of its own, which is large. */
function inThreads(compress: Compress): Compress {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (page) => {
    if (running < MOST_THREADS) running += 1;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await compress(page);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
