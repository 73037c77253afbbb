import type { DeliveredField } from '../../../domain/delivery';
import { ByteBuffer } from './byte-buffer';
import { microsecondsOf } from './timestamp';

/** What a record has in a field is none of the field's type. */
export class ValueUnfit extends Error {
  constructor(
    readonly text: string,
    readonly type: string,
    field = '',
  ) {
    super(`${text.slice(0, 60)} in field '${field}' is no ${type}`);
  }
}

/** How the values of a type of fields are written: the encoding PLAIN of the format. */
export interface ParquetType {
  readonly physical: 'BYTE_ARRAY' | 'INT64' | 'DOUBLE' | 'BOOLEAN';
  readonly meaning: {
    readonly converted_type?: 'UTF8' | 'TIMESTAMP_MICROS';
    readonly logical_type?:
      | { readonly type: 'STRING' }
      | { readonly type: 'TIMESTAMP'; readonly isAdjustedToUTC: boolean; readonly unit: 'MICROS' };
  };
  /**
   * Writes the value whose text is in `source` from `start` to `end`.
   * @param index how many values are in `target` already
   * @returns what orders the values, where the footer tells the first and the last
   * @throws ValueUnfit
   */
  write(target: ByteBuffer, source: Buffer, start: number, end: number, index: number): bigint | undefined;
}

const textOf = (source: Buffer, start: number, end: number): string => source.toString('latin1', start, end);

/** Shorter ones are copied faster by hand than by a call. */
const SHORT = 48;

const bytes: ParquetType = {
  physical: 'BYTE_ARRAY',
  meaning: { converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  write(target, source, start, end) {
    const size = end - start;
    const { bytes, at } = target.grow(4 + size);
    bytes.writeUInt32LE(size, at);
    if (size > SHORT) source.copy(bytes, at + 4, start, end);
    else for (let i = 0; i < size; i += 1) bytes[at + 4 + i] = source[start + i] as number;
    return undefined;
  },
};

function writeInt64(target: ByteBuffer, value: bigint): bigint {
  const { bytes, at } = target.grow(8);
  bytes.writeBigInt64LE(value, at);
  return value;
}

const integer: ParquetType = {
  physical: 'INT64',
  meaning: {},
  write(target, source, start, end) {
    const text = textOf(source, start, end);
    if (!/^-?\d{1,19}$/.test(text)) throw new ValueUnfit(text, 'whole number of 64 bits');
    const value = BigInt(text);
    if (BigInt.asIntN(64, value) !== value) throw new ValueUnfit(text, 'whole number of 64 bits');
    return writeInt64(target, value);
  },
};

const timestamp: ParquetType = {
  physical: 'INT64',
  meaning: {
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  write(target, source, start, end) {
    const text = textOf(source, start, end);
    const value = microsecondsOf(text);
    if (value === null) throw new ValueUnfit(text, 'moment');
    return writeInt64(target, value);
  },
};

const float: ParquetType = {
  physical: 'DOUBLE',
  meaning: {},
  write(target, source, start, end) {
    const text = textOf(source, start, end);
    const value = Number(text);
    if (text === '' || (Number.isNaN(value) && text !== 'NaN')) throw new ValueUnfit(text, 'number');
    const { bytes, at } = target.grow(8);
    bytes.writeDoubleLE(value, at);
    return undefined;
  },
};

const boolean: ParquetType = {
  physical: 'BOOLEAN',
  meaning: {},
  write(target, source, start, end, index) {
    const text = textOf(source, start, end);
    if (!['t', 'f', 'true', 'false'].includes(text)) throw new ValueUnfit(text, 'truth value');
    const bit = index % 8;
    const { bytes, at } = target.grow(bit === 0 ? 1 : 0);
    const byte = bit === 0 ? at : at - 1;
    if (bit === 0) bytes[byte] = 0;
    if (text.startsWith('t')) bytes[byte] = (bytes[byte] as number) | (1 << bit);
    return undefined;
  },
};

/** JSON and UUIDs are texts, as in PostHog's files: every reader knows those. */
export const PARQUET_TYPES: Readonly<Record<DeliveredField['type'], ParquetType>> = {
  text: bytes,
  uuid: bytes,
  json: bytes,
  integer,
  float,
  boolean,
  timestamp,
};
