import type { DeliveredField } from '../../../domain/delivery';
import type { ParquetCodec } from './parquet-codecs';
import { PARQUET_TYPES } from './parquet-types';

type Writing = typeof import('hyparquet-writer') &
  typeof import('hyparquet-writer/src/datapage.js') &
  typeof import('hyparquet-writer/src/encoding.js') &
  typeof import('hyparquet-writer/src/metadata.js');
type Metadata = Parameters<Writing['writeMetadata']>[1];
type RowGroup = Metadata['row_groups'][number];

export const MAGIC = Buffer.from('PAR1');

/** What the footer says of the column of a row group, besides where it is. */
export interface ColumnSummary {
  readonly field: DeliveredField;
  readonly records: number;
  readonly nulls: number;
  readonly min: bigint | undefined;
  readonly max: bigint | undefined;
  readonly uncompressedSize: number;
  readonly compressedSize: number;
}

/** The structures of a Parquet file around its values. */
export class ParquetFormat {
  private readonly groups: RowGroup[] = [];

  private constructor(
    private readonly writing: Writing,
    private readonly fields: readonly DeliveredField[],
    private readonly codec: ParquetCodec['name'],
  ) {}

  static async of(fields: readonly DeliveredField[], codec: ParquetCodec['name']): Promise<ParquetFormat> {
    const [writer, pages, encoding, metadata] = await Promise.all([
      import('hyparquet-writer'),
      import('hyparquet-writer/src/datapage.js'),
      import('hyparquet-writer/src/encoding.js'),
      import('hyparquet-writer/src/metadata.js'),
    ]);
    return new ParquetFormat({ ...writer, ...pages, ...encoding, ...metadata }, fields, codec);
  }

  /** Which records have a value, 1, and which have none, 0. */
  levels(levels: number[]): Uint8Array {
    const writer = new this.writing.ByteWriter();
    this.writing.writeRleBitPackedHybrid(writer, levels, 1);
    return writer.getBytes();
  }

  pageHeader(records: number, uncompressedSize: number, compressedSize: number): Uint8Array {
    const writer = new this.writing.ByteWriter();
    this.writing.writePageHeader(writer, {
      type: 'DATA_PAGE',
      uncompressed_page_size: uncompressedSize,
      compressed_page_size: compressedSize,
      data_page_header: {
        num_values: records,
        encoding: 'PLAIN',
        definition_level_encoding: 'RLE',
        repetition_level_encoding: 'RLE',
      },
    });
    return writer.getBytes();
  }

  /** Notes a row group for the footer; `offset` is where it begins in the file. */
  addGroup(columns: readonly ColumnSummary[], offset: number): void {
    let at = offset;
    const chunks = columns.map((column) => {
      const start = BigInt(at);
      at += column.compressedSize;
      return { file_offset: start, meta_data: this.metadataOf(column, start) };
    });
    this.groups.push({
      columns: chunks,
      total_byte_size: BigInt(columns.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0)),
      total_compressed_size: BigInt(at - offset),
      num_rows: BigInt(columns[0]?.records ?? 0),
    });
  }

  footer(): Uint8Array {
    const writer = new this.writing.ByteWriter();
    this.writing.writeMetadata(writer, {
      version: 2,
      created_by: 'Hedgerow',
      schema: [{ name: 'schema', num_children: this.fields.length }, ...this.fields.map(elementOf)],
      num_rows: this.groups.reduce((sum, { num_rows }) => sum + num_rows, 0n),
      row_groups: this.groups,
      metadata_length: 0,
    });
    writer.appendBytes(MAGIC);
    return writer.getBytes();
  }

  private metadataOf(
    column: ColumnSummary,
    offset: bigint,
  ): NonNullable<RowGroup['columns'][0]['meta_data']> {
    const { min, max } = column;
    return {
      type: PARQUET_TYPES[column.field.type].physical,
      encodings: ['PLAIN', 'RLE'],
      path_in_schema: [column.field.name],
      codec: this.codec,
      num_values: BigInt(column.records),
      total_uncompressed_size: BigInt(column.uncompressedSize),
      total_compressed_size: BigInt(column.compressedSize),
      data_page_offset: offset,
      statistics: { null_count: BigInt(column.nulls), min_value: min, max_value: max },
    };
  }
}

const elementOf = ({ name, type }: DeliveredField): Metadata['schema'][number] => ({
  name,
  type: PARQUET_TYPES[type].physical,
  repetition_type: 'OPTIONAL',
  ...PARQUET_TYPES[type].meaning,
});
