import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { DeliveredField } from '../../src/batch-export/domain/delivery';
import type { TestRecord } from './delivery';

/** The records of an exported file, as programs that know nothing of its writer read them. */
export async function readRecords(
  name: string,
  file: Buffer,
  fields: readonly DeliveredField[],
): Promise<TestRecord[]> {
  if (/\.parquet(\.\w+)?$/.test(name)) {
    const rows = await parquetReadObjects({
      file: Uint8Array.from(file).buffer,
      compressors,
      parsers: { timestampFromMicroseconds: isoOf },
    });
    return rows.map((row) =>
      Object.fromEntries(fields.map(({ name, type }) => [name, shown(row[name], type)])),
    );
  }
  const lines = plainOf(name, file).toString().split('\n');
  if (lines.pop() !== '') throw new Error('The last line does not end');
  return lines.map((line) => JSON.parse(line) as TestRecord);
}

function plainOf(name: string, file: Buffer): Buffer {
  if (name.endsWith('.gz')) return gunzipSync(file);
  return name.endsWith('.br') ? brotliDecompressSync(file) : file;
}

/** With all of the microseconds, which a Date would lose. */
const isoOf = (micros: bigint): string =>
  new Date(Number(micros / 1000n)).toISOString().replace('Z', `${String(micros % 1000n).padStart(3, '0')}Z`);

/** A value of a Parquet file as JSON would hold it. */
function shown(value: unknown, type: DeliveredField['type']): unknown {
  if (value === undefined || value === null) return null;
  if (type === 'json') return JSON.parse(String(value));
  return typeof value === 'bigint' ? Number(value) : value;
}
