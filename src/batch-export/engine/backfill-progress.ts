import { Injectable } from '@nestjs/common';
import { BackfillRepository } from '../persistence/backfill.repository';
import { RunRepository } from '../persistence/run.repository';
import { RunLog } from './run-log';

/** How many runs of one backfill are queued or running at once. */
const SHARE = 2;

/**
 * What follows for backfills when their runs end, in the transaction in which they do, or in that of a tick. `of` is one
 * backfill, or null for some of those that it concerns; those that others have locked are left to them.
 */
@Injectable()
export class BackfillProgress {
  constructor(
    private readonly backfills: BackfillRepository,
    private readonly runs: RunRepository,
    private readonly log: RunLog,
  ) {}

  /** Queues the next runs, the oldest data first, up to a backfill's share. @returns how many */
  async topUp(of: string | null, now: Date): Promise<number> {
    const runs = await this.backfills.nextRuns(SHARE, of, now);
    for (const run of runs) run.queue(now);
    await this.runs.save(...runs);
    return runs.length;
  }

  /** Ends backfills whose runs have all ended. @returns how many */
  async finish(of: string | null, now: Date): Promise<number> {
    const ended = await this.backfills.ended(of);
    for (const [backfill, runs] of ended) {
      backfill.finish(runs, now);
      const { completed, failed, cancelled } = runs;
      const message = `Backfill finished: ${completed} runs completed, ${failed} failed, ${cancelled} cancelled`;
      await this.log.tell(backfill, failed > 0 ? 'WARNING' : 'INFO', message, now);
    }
    await this.backfills.save(...ended.map(([backfill]) => backfill));
    return ended.length;
  }
}
