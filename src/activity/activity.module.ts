import { Global, Module } from '@nestjs/common';
import { ActivityLog } from './activity-log.service';
import { ActivityQueries } from './persistence/activity.queries';
import { ActivityEntryRepository } from './persistence/activity-entry.repository';

/** Who changed what: every context that changes something says so here. */
@Global()
@Module({
  providers: [ActivityLog, ActivityEntryRepository, ActivityQueries],
  exports: [ActivityLog],
})
export class ActivityModule {}
