import { isDeepStrictEqual } from 'node:util';

/** What became of one field, or of one part that has a name, such as a file. */
export interface Change {
  readonly field: string;
  readonly action: 'created' | 'changed' | 'deleted';
  /** Null when there was none, or when it is too long to be kept. */
  readonly before: unknown;
  readonly after: unknown;
}

/** In characters of JSON: a log of changes is no archive of contents. */
const LONGEST_VALUE = 10_000;

/** The fields whose values differ between two representations of one thing, in the order of the later one. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Change[] {
  return Object.keys(after)
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({
      field,
      action: actionOf(before[field], after[field]),
      before: kept(before[field]),
      after: kept(after[field]),
    }));
}

function actionOf(before: unknown, after: unknown): Change['action'] {
  if (before === null || before === undefined) return 'created';
  return after === null ? 'deleted' : 'changed';
}

const kept = (value: unknown = null): unknown =>
  JSON.stringify(value).length > LONGEST_VALUE ? null : value;
