import { Module } from '@nestjs/common';
import { ActivityLog } from './activity-log.service';
import { ActivityQueries } from './persistence/activity.queries';
import { ActivityEntryRepository } from './persistence/activity-entry.repository';

/** Who changed what. */
@Module({
  providers: [ActivityLog, ActivityEntryRepository, ActivityQueries],
  exports: [ActivityLog],
})
export class ActivityModule {}
