import { Injectable } from '@nestjs/common';
import { type FindOperator, LessThanOrEqual } from 'typeorm';
import { NotFound } from '../../shared/domain/domain-error';
import { Transaction } from '../../shared/persistence/transaction';
import { Run, type RunProgress, type RunStatus } from '../domain/run';
import { RunLost } from '../domain/run-errors';
import {
  ADD,
  ADVANCE,
  BATCH,
  CANCEL,
  type CancelledRun,
  CHANGING,
  POSTPONE,
  type RunPlace,
  SAVE,
  SILENT,
  STARTED,
} from './run.statements';

@Injectable()
export class RunRepository {
  constructor(private readonly transaction: Transaction) {}

  /** @returns those that were not there already: there is one of each export, or backfill, and data interval */
  async add(runs: readonly Run[], at: Date): Promise<Run[]> {
    const fields = runs.map((run) => ({ ...run }) as unknown as Record<string, unknown>);
    const column = (name: string) => fields.map((run) => run[name]);
    const rows = await this.transaction.rows(ADD, [
      column('id'),
      column('batchExportId'),
      column('backfillId'),
      column('dataIntervalStart'),
      column('dataIntervalEnd'),
      column('queuedAt'),
      at,
    ]);
    const added = new Set(rows.map(({ id }) => id));
    return runs.filter(({ id }) => added.has(id));
  }

  /** The backfill that the run belongs to, or null. @throws NotFound when it is another export's */
  async backfillOf(batchExportId: string, id: string): Promise<string | null> {
    const run = await this.transaction.manager.findOneBy(Run, { id, batchExportId } as object);
    if (!run) throw new NotFound();
    return run.backfillId;
  }

  /** Locks the run until the transaction ends. @throws NotFound when it is another export's */
  async get(batchExportId: string, id: string): Promise<Run> {
    const run = await this.findOne({ id, batchExportId });
    if (!run) throw new NotFound();
    return run;
  }

  /** Locks the run until the transaction ends. */
  find(id: string): Promise<Run | null> {
    return this.findOne({ id });
  }

  /** Locks the run until the transaction ends. @throws RunLost when it no longer runs in this attempt */
  async held(id: string, attempt: number): Promise<Run> {
    const run = await this.findOne({ id, attempt, status: 'Running' });
    if (!run) throw new RunLost();
    return run;
  }

  /** Some whose next attempt is due, longest due first; those that others look at are left out. */
  dueForRetry(now: Date): Promise<Run[]> {
    return this.some('FailedRetryable', { retryAt: LessThanOrEqual(now) }, { retryAt: 'ASC' });
  }

  /** Some whose workers have not been heard of since. */
  async silentSince(moment: Date): Promise<(RunPlace & { readonly attempt: number })[]> {
    return this.transaction.rows(SILENT, [moment]);
  }

  /** Some that go on and were first started before. */
  async startedBefore(moment: Date): Promise<RunPlace[]> {
    return this.transaction.rows(STARTED, [moment]);
  }

  /** Puts a run that waits for a worker behind those that wait already. */
  async postpone(id: string, at: Date): Promise<void> {
    await this.transaction.rows(POSTPONE, [id, at]);
  }

  async save(...runs: Run[]): Promise<void> {
    if (runs.length === 0) return;
    const rows = runs.map((run) => {
      const fields = { ...run } as unknown as Record<string, unknown>;
      return Object.fromEntries([
        ['id', run.id],
        ...Object.entries(CHANGING).map(([column, [field]]) => [column, fields[field]]),
      ]);
    });
    await this.transaction.rows(SAVE, [JSON.stringify(rows)]);
  }

  /**
   * Tells that an attempt goes on, and how far it is.
   * @param total how many records there are, where it is known by now
   * @throws RunLost when the run no longer runs in this attempt
   */
  async advance(
    id: string,
    attempt: number,
    { recordsCompleted, bytes, cursor }: RunProgress,
    total: number | null,
    at: Date,
  ): Promise<void> {
    const values = [id, attempt, recordsCompleted, bytes, cursor, total, at];
    const rows = await this.transaction.rows(ADVANCE, values);
    if (rows.length === 0) throw new RunLost();
  }

  /** Ends every run of an export that goes on, or of one of its backfills (BE-28). */
  async cancelOpen(batchExportId: string, backfillId: string | null, at: Date): Promise<CancelledRun[]> {
    const rows = await this.transaction.rows(CANCEL, [batchExportId, at, backfillId]);
    return rows.map(({ data_interval_start, ...run }) => ({
      ...run,
      dataIntervalStart: data_interval_start,
    }));
  }

  private findOne(where: { id: string; batchExportId?: string; attempt?: number; status?: RunStatus }) {
    return this.transaction.manager.findOne(Run, {
      where: where as object,
      lock: { mode: 'for_no_key_update' },
    });
  }

  private some(
    status: RunStatus,
    where: Record<string, FindOperator<unknown>>,
    order: Record<string, 'ASC'>,
  ): Promise<Run[]> {
    return this.transaction.manager.find(Run, {
      where: { status, ...where } as object,
      order: order as object,
      take: BATCH,
      lock: { mode: 'for_no_key_update', onLocked: 'skip_locked' },
    });
  }
}
