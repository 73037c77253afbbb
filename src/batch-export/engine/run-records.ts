import type { Readable } from 'node:stream';
import type { EventStore, RecordFormat, Selection } from '../../event/index';

/** The records of an attempt, as they are read; knows which failures are those of reading. */
export class RunRecords {
  private readonly open = new Set<Readable>();
  private failed: { readonly error: unknown } | null = null;
  private closed = false;

  constructor(
    private readonly events: EventStore,
    private readonly selection: Selection,
  ) {}

  /** What failed first on the side of the event store; null when nothing did. */
  get failure(): { readonly error: unknown } | null {
    return this.failed;
  }

  async read(format: RecordFormat, after: string | null): Promise<Readable> {
    try {
      const records = this.watched(await this.events.read({ ...this.selection, after }, format));
      // Its attempt may have ended while it was being opened.
      if (this.closed) records.destroy();
      return records;
    } catch (error) {
      this.failed ??= { error };
      throw error;
    }
  }

  /** Ends every read that goes on. */
  close(): void {
    this.closed = true;
    for (const records of this.open) records.destroy();
  }

  /** A pipeline whose other end fails destroys its source with that error: the source did not fail then. */
  private watched(records: Readable): Readable {
    const destroy = records.destroy.bind(records);
    let ended = false;
    records.destroy = (error?: Error) => {
      ended = true;
      return destroy(error);
    };
    // Before any other listener, which may destroy it.
    records.prependListener('error', (error) => {
      if (!ended) this.failed ??= { error };
    });
    records.once('close', () => this.open.delete(records));
    this.open.add(records);
    return records;
  }
}
