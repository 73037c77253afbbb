export { ActivityModule } from './activity.module';
export { ActivityLog } from './activity-log.service';
export type { Activity, Actor } from './domain/activity-entry';
export { type Change, changesBetween } from './domain/change';
export { ApiActivityResponse } from './http/activity.responses';
