import type { DeliveredField } from '../../../domain/delivery';
import { ByteBuffer } from './byte-buffer';
import type { ColumnSummary, ParquetFormat } from './parquet-format';
import { PARQUET_TYPES, ValueUnfit } from './parquet-types';

/** In bytes, uncompressed; a page holds at least one value, however large. */
const PAGE_SIZE = 1024 * 1024;
const SIZE_OF_LEVELS = 4;

/** A finished page: its header, and its compressed content. */
type Page = readonly [header: Uint8Array, content: Uint8Array];

/** One column of a row group, cut into pages, each compressed as soon as it is full. */
export class ParquetColumn {
  private readonly type;
  private readonly values = new ByteBuffer();
  /** Of the page that is being filled: for each record whether it has a value. */
  private levels: number[] = [];
  private valuesInPage = 0;
  private pages: Promise<Page>[] = [];
  private records = 0;
  private nulls = 0;
  private min: bigint | undefined;
  private max: bigint | undefined;
  private uncompressedSize = 0;

  constructor(
    private readonly field: DeliveredField,
    private readonly format: ParquetFormat,
    private readonly compress: (page: Buffer) => Promise<Uint8Array>,
  ) {
    this.type = PARQUET_TYPES[field.type];
  }

  /** @throws ValueUnfit */
  add(source: Buffer, start: number, end: number): void {
    const order = this.write(source, start, end);
    if (order !== undefined) {
      if (this.min === undefined || order < this.min) this.min = order;
      if (this.max === undefined || order > this.max) this.max = order;
    }
    this.valuesInPage += 1;
    this.levels.push(1);
    if (this.values.length >= PAGE_SIZE) this.cutPage();
  }

  addNull(): void {
    this.levels.push(0);
    this.nulls += 1;
  }

  /** All of the column in this row group; the next value begins another one. */
  async finish(): Promise<{ summary: ColumnSummary; bytes: Uint8Array[] }> {
    if (this.levels.length > 0) this.cutPage();
    const bytes = (await Promise.all(this.pages)).flat();
    const { field, records, nulls, min, max, uncompressedSize } = this;
    const compressedSize = bytes.reduce((sum, { length }) => sum + length, 0);
    this.pages = [];
    this.records = 0;
    this.nulls = 0;
    this.min = undefined;
    this.max = undefined;
    this.uncompressedSize = 0;
    return { summary: { field, records, nulls, min, max, uncompressedSize, compressedSize }, bytes };
  }

  private write(source: Buffer, start: number, end: number): bigint | undefined {
    try {
      return this.type.write(this.values, source, start, end, this.valuesInPage);
    } catch (error) {
      throw error instanceof ValueUnfit ? new ValueUnfit(error.text, error.type, this.field.name) : error;
    }
  }

  private cutPage(): void {
    const records = this.levels.length;
    const levels = this.format.levels(this.levels);
    const sizeOfLevels = Buffer.alloc(SIZE_OF_LEVELS);
    sizeOfLevels.writeUInt32LE(levels.length);
    const content = Buffer.concat([sizeOfLevels, levels, this.values.view()]);
    const page = this.compress(content).then((compressed): Page => {
      const header = this.format.pageHeader(records, content.length, compressed.length);
      this.uncompressedSize += header.length + content.length;
      return [header, compressed];
    });
    // Told by `finish`, unless the file is given up before.
    page.catch(() => undefined);
    this.pages.push(page);
    this.records += records;
    this.levels = [];
    this.valuesInPage = 0;
    this.values.clear(2 * PAGE_SIZE);
  }
}
