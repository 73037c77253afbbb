import type { DeliveredField } from '../../../domain/delivery';
import { readCopyText, wholeRecords } from './copy-text';
import type { ParquetCodec } from './parquet-codecs';
import { ParquetColumn } from './parquet-column';
import { MAGIC, ParquetFormat } from './parquet-format';

/** A row group is held, compressed, until it is whole. In bytes of the records as they come, and in records. */
const LARGEST_GROUP = 16 * 1024 * 1024;
const LONGEST_GROUP = 100_000;
/** How many pages wait for their compression at most. */
const PAGES_UNDER_WAY = 4;

/**
 * A Parquet file of records in the text format of COPY, row group by row group: every field is optional, values are
 * encoded PLAIN in pages of about 1 MiB.
 * @throws ValueUnfit for a value that is none of its field's type
 */
export async function* encodeParquet(
  source: AsyncIterable<Buffer>,
  fields: readonly DeliveredField[],
  codec: ParquetCodec,
): AsyncGenerator<Uint8Array> {
  const format = await ParquetFormat.of(fields, codec.name);
  const compress = await codec.load();
  const underWay = new Set<Promise<unknown>>();
  const columns = fields.map(
    (field) =>
      new ParquetColumn(field, format, (page) => {
        const compressed = compress(page);
        const settled: Promise<unknown> = compressed
          .catch(() => undefined)
          .then(() => underWay.delete(settled));
        underWay.add(settled);
        return compressed;
      }),
  );
  yield MAGIC;
  let offset = MAGIC.length;
  let bytes = 0;
  let records = 0;

  async function* group(): AsyncGenerator<Uint8Array> {
    const finished = await Promise.all(columns.map((column) => column.finish()));
    format.addGroup(
      finished.map(({ summary }) => summary),
      offset,
    );
    for (const { summary, bytes } of finished) {
      offset += summary.compressedSize;
      yield* bytes;
    }
    bytes = 0;
    records = 0;
  }

  for await (const chunk of wholeRecords(source)) {
    records += readCopyText(chunk, fields.length, (field, value, start, end, isNull) => {
      if (isNull) columns[field]?.addNull();
      else columns[field]?.add(value, start, end);
    });
    bytes += chunk.length;
    while (underWay.size > PAGES_UNDER_WAY) await Promise.race(underWay);
    if (bytes >= LARGEST_GROUP || records >= LONGEST_GROUP) yield* group();
  }
  if (records > 0) yield* group();
  yield format.footer();
}
