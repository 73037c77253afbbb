import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { LogEntry } from '../domain/log-entry';

const ADD = new Statement(
  'batch_export.add_log_entries',
  `INSERT INTO batch_export_log_entries (id, batch_export_id, instance_id, timestamp, level, message)
   SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[])`,
);

const DELETE_OLD = new Statement<{ id: string }>(
  'batch_export.delete_old_log_entries',
  `DELETE FROM batch_export_log_entries
    WHERE id = ANY (ARRAY(SELECT id FROM batch_export_log_entries WHERE timestamp < $1 ORDER BY timestamp LIMIT $2
                             FOR UPDATE SKIP LOCKED)) RETURNING id`,
);

@Injectable()
export class LogEntryRepository {
  constructor(private readonly transaction: Transaction) {}

  async add(...entries: Omit<LogEntry, 'id'>[]): Promise<void> {
    if (entries.length === 0) return;
    await this.transaction.rows(ADD, [
      entries.map(() => uuidv7()),
      entries.map(({ batchExportId }) => batchExportId),
      entries.map(({ instanceId }) => instanceId),
      entries.map(({ timestamp }) => timestamp),
      entries.map(({ level }) => level),
      entries.map(({ message }) => message),
    ]);
  }

  /** Deletes the oldest of those from before, at most so many. @returns how many */
  async deleteBefore(moment: Date, most: number): Promise<number> {
    return (await this.transaction.rows(DELETE_OLD, [moment, most])).length;
  }
}
