import { Module } from '@nestjs/common';
import { EventModule } from '../event/index';
import { MembershipModule } from '../membership/index';
import { HttpModule } from '../shared/http/http.module';
import { BackfillService } from './backfill.service';
import { BatchExportService } from './batch-export.service';
import { DestinationReach } from './destinations/destination-reach';
import { DestinationWriters, WRITERS } from './destinations/destination-writers';
import { BackfillProgress } from './engine/backfill-progress';
import { Housekeeping } from './engine/housekeeping';
import { OpenRuns } from './engine/open-runs';
import { PauseNotice } from './engine/pause-notice';
import { RunLog } from './engine/run-log';
import { RunMetrics } from './engine/run-metrics';
import { RunQueue } from './engine/run-queue';
import { RunTransitions } from './engine/run-transitions';
import { RunTurns } from './engine/run-turns';
import { RunWorker } from './engine/run-worker';
import { Scheduler } from './engine/scheduler';
import { Ticker } from './engine/ticker';
import {
  BatchExportBackfillsController,
  ProjectBatchExportBackfillsController,
} from './http/backfill.controllers';
import { BatchExportsController } from './http/batch-exports.controller';
import { ProjectBatchExportsController } from './http/project-batch-exports.controller';
import { BatchExportRunsController, ProjectBatchExportRunsController } from './http/run.controllers';
import { BackfillQueries } from './persistence/backfill.queries';
import { BackfillRepository } from './persistence/backfill.repository';
import { BatchExportQueries } from './persistence/batch-export.queries';
import { BatchExportRepository } from './persistence/batch-export.repository';
import { LogEntryRepository } from './persistence/log-entry.repository';
import { RetentionRepository } from './persistence/retention.repository';
import { RunQueries } from './persistence/run.queries';
import { RunRepository } from './persistence/run.repository';
import { ScheduleRepository } from './persistence/schedule.repository';
import { TurnRepository } from './persistence/turn.repository';
import { RunService } from './run.service';

/** Scheduled exports of a project's data to a destination. */
@Module({
  imports: [EventModule, HttpModule, MembershipModule],
  controllers: [
    BatchExportsController,
    ProjectBatchExportsController,
    BatchExportRunsController,
    ProjectBatchExportRunsController,
    BatchExportBackfillsController,
    ProjectBatchExportBackfillsController,
  ],
  providers: [
    BatchExportService,
    BackfillService,
    DestinationReach,
    RunService,
    BatchExportRepository,
    BackfillRepository,
    RunRepository,
    ScheduleRepository,
    TurnRepository,
    RetentionRepository,
    LogEntryRepository,
    RunLog,
    RunQueue,
    OpenRuns,
    PauseNotice,
    BackfillProgress,
    RunTransitions,
    RunTurns,
    RunWorker,
    RunMetrics,
    Scheduler,
    Housekeeping,
    Ticker,
    DestinationWriters,
    ...Object.values(WRITERS),
    BatchExportQueries,
    BackfillQueries,
    RunQueries,
  ],
})
export class BatchExportModule {}
