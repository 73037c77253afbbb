import { Injectable } from '@nestjs/common';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { LogEntry } from '../domain/log-entry';

const ADD = new Statement(
  'batch_export.add_log_entry',
  `INSERT INTO batch_export_log_entries (id, batch_export_id, instance_id, timestamp, level, message)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);

@Injectable()
export class LogEntryRepository {
  constructor(private readonly transaction: Transaction) {}

  async add({ id, batchExportId, instanceId, timestamp, level, message }: LogEntry): Promise<void> {
    await this.transaction.rows(ADD, [id, batchExportId, instanceId, timestamp, level, message]);
  }
}
