import { type Delivery, DeliveryFailed, type DeliveryProgress } from '../../domain/delivery';
import type { Config } from '../../domain/destination-rules';
import { recordsOf } from '../records';
import type { Bytes, FileFormat } from './file-format';
import type { FileNames } from './file-names';
import { ValueUnfit } from './parquet/parquet-types';
import { RecordCutter } from './record-cutter';

const MEGABYTE = 1024 * 1024;

/** Something failed, for this reason, that the destination has no part in. */
export class OwnFailure extends Error {
  constructor(readonly reason: unknown) {
    super('Not the destination', { cause: reason });
  }
}

/** Work that the destination has no part in. @throws OwnFailure */
export async function own<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new OwnFailure(error instanceof ValueUnfit ? new DeliveryFailed(error.message, false) : error);
  }
}

/** Keeps one file under a name, in place of one that has it. */
export type KeepFile = (name: string, content: Bytes) => Promise<void>;

export interface FileDelivery {
  readonly config: Config;
  readonly delivery: Delivery;
  readonly progress: DeliveryProgress;
  readonly signal: AbortSignal;
  readonly format: FileFormat;
  readonly names: FileNames;
}

/**
 * Makes the files of a run, one after the other, and has each kept; none where there are no records.
 * @returns their names
 * @throws OwnFailure, and what `keep` throws
 */
export async function writeFiles(
  { config, delivery, progress, signal, format, names }: FileDelivery,
  keep: KeepFile,
): Promise<string[]> {
  const size = typeof config.max_file_size_mb === 'number' ? config.max_file_size_mb * MEGABYTE : null;
  const source = await own(() => recordsOf(delivery, format.reads, signal));
  const records = new RecordCutter(source, size);
  const written: string[] = [];
  let told = 0;

  /** Tells what was written when the next of it is asked for. */
  async function* observed(content: Bytes): AsyncGenerator<Uint8Array> {
    const chunks = content[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await own(() => chunks.next());
        if (done) return;
        yield value;
        progress.wrote(records.records - told, value.length);
        told = records.records;
      }
    } finally {
      await chunks.return?.();
    }
  }

  try {
    while (await own(() => records.hasMore())) {
      const name = names.numbered(written.length);
      await keep(name, observed(format.encode(records.file(), delivery.fields)));
      written.push(name);
    }
    return written;
  } finally {
    records.close();
  }
}
