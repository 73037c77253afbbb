export {
  EventStore,
  type FieldType,
  type RecordField,
  type RecordFormat,
  type RecordModel,
  type Selection,
} from './domain/event-store';
