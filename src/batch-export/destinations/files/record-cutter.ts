import type { Readable } from 'node:stream';
import { linesIn } from '../records';

const LINE_FEED = 10;

/**
 * Cuts a stream of records into files, and counts them. A file ends with the record that makes it as large as it may
 * be, so a repeat of the same records is cut at the same places, however the stream comes in chunks.
 */
export class RecordCutter {
  private readonly chunks: AsyncIterator<Buffer>;
  private next: Buffer | null = null;
  private endsWhole = true;
  /** How many records were passed on so far. */
  records = 0;

  /**
   * @param source records that each end with a line feed, their only one
   * @param size of a file's records in bytes, or null: all in one file
   */
  constructor(
    private readonly source: Readable,
    private readonly size: number | null,
  ) {
    // Between two reads nobody else would hear of an error; the next read is told of it.
    source.on('error', () => undefined);
    this.chunks = source[Symbol.asyncIterator]();
  }

  /** Whether there are records for another file. */
  async hasMore(): Promise<boolean> {
    while (this.next === null || this.next.length === 0) {
      const { done, value } = await this.chunks.next();
      if (done) {
        if (this.endsWhole) return false;
        throw new Error('The records ended in the middle of one');
      }
      this.next = value;
    }
    return true;
  }

  /** The records of the next file. */
  async *file(): AsyncGenerator<Buffer> {
    for (let bytes = 0; await this.hasMore(); ) {
      const chunk = this.next ?? Buffer.alloc(0);
      const end = this.endIn(chunk, bytes);
      this.next = end === null ? null : chunk.subarray(end);
      const taken = end === null ? chunk : chunk.subarray(0, end);
      this.endsWhole = taken.at(-1) === LINE_FEED;
      this.records += linesIn(taken);
      bytes += taken.length;
      yield taken;
      if (end !== null) return;
    }
  }

  /** Reads no further. */
  close(): void {
    this.source.destroy();
  }

  /** Where in a chunk the file ends that has this many bytes before it; null: not in this chunk. */
  private endIn(chunk: Buffer, bytes: number): number | null {
    if (this.size === null) return null;
    const at = chunk.indexOf(LINE_FEED, Math.max(0, this.size - bytes - 1));
    return at === -1 ? null : at + 1;
  }
}
