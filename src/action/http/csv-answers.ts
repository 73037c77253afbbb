import { once } from 'node:events';
import { Readable } from 'node:stream';
import { Injectable, Logger, StreamableFile } from '@nestjs/common';
import { Unavailable } from '../../shared/http/http-errors';
import { CurrentRequest } from '../../shared/request/current-request';
import { Turns } from '../../shared/turns/turns';
import { type ActionTable, TableOutdated } from '../domain/action-table';
import { csvTexts } from './action.csv';

export const CSV_TYPE = 'text/csv; charset=utf-8';

/** How much tables may take of a process. Times in milliseconds. */
@Injectable()
export class CsvLimits {
  /** Tables that are read at once; each holds some of its rows, and for a moment at a time a connection. */
  readonly atOnce: number = 8;
  /** Of these, those of one user. */
  readonly atOnceOfOne: number = 4;
  /** For a turn. */
  readonly patience: number = 5_000;
  /** For a caller who takes nothing more of what is sent. */
  readonly stall: number = 30_000;
}

class CallerStalled extends Error {
  constructor() {
    super('A table is cut off: its caller takes nothing more of it');
  }
}

/** Sends tables as they are read, no faster than their callers take them. */
@Injectable()
export class CsvAnswers {
  private readonly logger = new Logger(CsvAnswers.name);
  private readonly turns: Turns;

  constructor(
    private readonly limits: CsvLimits,
    private readonly current: CurrentRequest,
  ) {
    this.turns = new Turns(limits.atOnce, limits.atOnceOfOne);
  }

  /**
   * A failure before the first rows is an answer like any other; a later one cuts the connection, so that what was sent
   * does not look complete.
   * @param gone aborted when the caller is
   * @throws Unavailable when too many tables are read at once
   */
  answer(read: () => Promise<ActionTable>, gone: AbortSignal): Promise<StreamableFile> {
    const patience = AbortSignal.timeout(this.limits.patience);
    return new Promise((resolve, reject) => {
      this.turns
        .take(this.current.owner, AbortSignal.any([gone, patience]), async () => {
          const stream = await this.begun(csvTexts(await read()));
          if (gone.aborted) stream.destroy();
          resolve(this.file(stream));
          if (!stream.closed) await once(stream, 'close');
        })
        .catch((error) => {
          if (error === patience.reason) reject(new Unavailable('Too many tables are read at once.'));
          else if (gone.aborted && error === gone.reason) reject(new Unavailable('The caller has gone.'));
          else reject(error);
        });
    });
  }

  private file(stream: Readable): StreamableFile {
    return new StreamableFile(stream, { type: CSV_TYPE }).setErrorLogger((error) => {
      if (error instanceof TableOutdated || error instanceof CallerStalled) this.logger.warn(error.message);
      else this.logger.error(error);
    });
  }

  private async begun(texts: AsyncGenerator<string>): Promise<Readable> {
    const first = await texts.next();
    const stream: Readable = Readable.from(
      this.paced(first, texts, () => stream),
      { objectMode: false },
    );
    return stream;
  }

  private async *paced(
    first: IteratorResult<string>,
    texts: AsyncGenerator<string>,
    stream: () => Readable,
  ): AsyncGenerator<string> {
    const waitForCaller = () => setTimeout(() => stream().destroy(new CallerStalled()), this.limits.stall);
    for (let next = first; !next.done; next = await texts.next()) {
      const stalled = waitForCaller();
      try {
        yield next.value;
      } finally {
        clearTimeout(stalled);
      }
    }
    // The last piece was asked for, not taken: what the stream still holds may have to wait for the caller.
    const stalled = waitForCaller();
    stream().once('close', () => clearTimeout(stalled));
  }
}
