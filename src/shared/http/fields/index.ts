export { type Check, type Problem, presence, problem, typeName } from './check';
export * from './fields';
export { hasOffset, parseTimestamp } from './timestamp';
