import { Module } from '@nestjs/common';
import { BackfillService } from './backfill.service';
import { BatchExportService } from './batch-export.service';
import { BatchExportsController } from './http/batch-exports.controller';
import { ProjectBatchExportsController } from './http/project-batch-exports.controller';
import { BackfillRepository } from './persistence/backfill.repository';
import { BatchExportQueries } from './persistence/batch-export.queries';
import { BatchExportRepository } from './persistence/batch-export.repository';
import { LogEntryRepository } from './persistence/log-entry.repository';

/** Scheduled exports of a project's data to a destination. */
@Module({
  controllers: [BatchExportsController, ProjectBatchExportsController],
  providers: [
    BatchExportService,
    BackfillService,
    BatchExportRepository,
    BackfillRepository,
    LogEntryRepository,
    BatchExportQueries,
  ],
})
export class BatchExportModule {}
