import { Injectable } from '@nestjs/common';
import type { LogLevel } from '../domain/log-entry';
import { LogEntryRepository } from '../persistence/log-entry.repository';

/** What an entry is about: a run or a backfill, of an export. */
interface Subject {
  readonly id: string;
  readonly batchExportId: string;
}

/** What members read of their exports. The messages hold no secret: what others said was masked before. */
@Injectable()
export class RunLog {
  constructor(private readonly entries: LogEntryRepository) {}

  async tell(
    subjects: Subject | readonly Subject[],
    level: LogLevel,
    message: string,
    at: Date,
  ): Promise<void> {
    const list = 'length' in subjects ? subjects : [subjects];
    await this.entries.add(
      ...list.map(({ id, batchExportId }) => ({
        batchExportId,
        instanceId: id,
        timestamp: at,
        level,
        message,
      })),
    );
  }
}
