import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { Clock } from '../../shared/domain/clock';
import { Transaction } from '../../shared/persistence/transaction';
import { LogEntryRepository } from '../persistence/log-entry.repository';
import { type OldPage, RetentionRepository } from '../persistence/retention.repository';

/** In milliseconds. */
const DAY = 24 * 3_600_000;
/** In milliseconds: for how long log entries are kept. */
const RETENTION = 30 * DAY;
/** How many log entries one transaction deletes. */
const BATCH = 1_000;

/** What is no matter of seconds: nothing is kept for ever. */
@Injectable()
export class Housekeeping {
  constructor(
    private readonly settings: Settings,
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly retention: RetentionRepository,
    private readonly entries: LogEntryRepository,
  ) {}

  async deleteOldLogEntries(): Promise<void> {
    const moment = new Date(this.clock.now().getTime() - RETENTION);
    let deleted = BATCH;
    while (deleted === BATCH) {
      deleted = await this.transaction.run(() => this.entries.deleteBefore(moment, BATCH));
    }
  }

  /** Runs that ended `RUN_RETENTION_DAYS` ago, and the backfills that had no others. */
  async deleteOldRuns(): Promise<void> {
    const { runRetentionDays } = this.settings;
    if (runRetentionDays === 0) return;
    const moment = new Date(this.clock.now().getTime() - runRetentionDays * DAY);
    await eachPage((after) => this.retention.deleteRuns(moment, after));
    await eachPage((after) => this.retention.deleteBackfills(moment, after));
  }
}

/** Each page is a transaction of its own. */
async function eachPage(work: (after: OldPage | null) => Promise<OldPage | null>): Promise<void> {
  let last: OldPage | null = null;
  do {
    last = await work(last);
  } while (last);
}
