const TAB = 9;
const LINE_FEED = 10;
const BACKSLASH = 92;
const LETTER_N = 78;

/** What follows a backslash in the text format of PostgreSQL's COPY; other characters stand for themselves. */
const ESCAPES: Readonly<Record<string, number>> = { b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };
const UNESCAPED = Uint8Array.from({ length: 256 }, (_, code) => ESCAPES[String.fromCharCode(code)] ?? code);

/** The same bytes in chunks of whole records. */
export async function* wholeRecords(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const records = chunk.subarray(0, end);
      yield begun.length > 0 ? Buffer.concat([...begun, records]) : records;
      begun = [];
    }
    if (end < chunk.length) begun.push(chunk.subarray(end));
  }
}

/** The value of a field of a record: the bytes of `source` from `start` to `end`, or null. */
export type TellValue = (field: number, source: Buffer, start: number, end: number, isNull: boolean) => void;

/**
 * Tells the values of records in the text format of COPY, record by record, field by field.
 * @param records whole records
 * @returns how many records there were
 */
export function readCopyText(records: Buffer, fields: number, tell: TellValue): number {
  let count = 0;
  let nextEscape = escapeFrom(records, 0);
  for (let start = 0; start < records.length; count += 1) {
    for (let field = 0; field < fields; field += 1) {
      const end = records.indexOf(field === fields - 1 ? LINE_FEED : TAB, start);
      if (end === -1) throw new Error('A record has fewer fields than it should have');
      if (nextEscape < start) nextEscape = escapeFrom(records, start);
      if (nextEscape >= end) {
        tell(field, records, start, end, false);
      } else if (end - start === 2 && records[start + 1] === LETTER_N) {
        tell(field, records, start, start, true);
      } else {
        const value = unescaped(records, start, end);
        tell(field, value, 0, value.length, false);
      }
      start = end + 1;
    }
  }
  return count;
}

function escapeFrom(bytes: Buffer, start: number): number {
  const at = bytes.indexOf(BACKSLASH, start);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

function unescaped(source: Buffer, start: number, end: number): Buffer {
  const value = Buffer.allocUnsafe(end - start);
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const byte = source[at] as number;
    if (byte === BACKSLASH) at += 1;
    value[length++] = byte === BACKSLASH ? (UNESCAPED[source[at] as number] as number) : byte;
  }
  return value.subarray(0, length);
}
