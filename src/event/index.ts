export {
  EventStore,
  type FieldType,
  type RecordField,
  type RecordFormat,
  type RecordModel,
  type Selection,
} from './domain/event-store';
export { EventModule } from './event.module';
export { compileQuery } from './hogql/compile-query';
export type { CompiledQuery, QuerySchema } from './hogql/compiled-query';
export { describeFunctions } from './hogql/functions/index';
export { CAPTURE_LIMIT, CAPTURE_LIMIT_TEXT, CAPTURE_PATHS } from './http/capture.body';
