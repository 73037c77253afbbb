export { type Check, type Problem, presence, problem, type Reading, typeName } from './check';
export * from './fields';
export { hasOffset, NO_TIMESTAMP, parseTimestamp } from './timestamp';
