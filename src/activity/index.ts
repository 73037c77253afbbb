export { ActivityModule } from './activity.module';
export type { ActivityFilter } from './activity-filter';
export { ActivityLog, snapshotOf } from './activity-log.service';
export type { Activity, Subject, Trigger } from './domain/activity-entry';
export { type Change, changesBetween, type Snapshot, secretChanged } from './domain/change';
export { ApiActivityResponse } from './http/activity.responses';
export { ActivityLogEntryResponse } from './http/activity-log-entry.response';
