import { isDeepStrictEqual } from 'node:util';

/** What became of one field, or of one part that has a name, such as a file. */
export interface Change {
  readonly field: string;
  readonly action: 'created' | 'changed' | 'deleted';
  /** Null when there was none, or when it is too long to be kept. */
  readonly before: unknown;
  readonly after: unknown;
}

/** A thing as an answer shows it, without what is derived from elsewhere. Never has a secret. */
export type Snapshot = Readonly<Record<string, unknown>>;

/** In characters of JSON: a log of changes is no archive of contents. */
const LONGEST_VALUE = 10_000;

/** Of one entry: so that pages of the log stay small, whatever a thing has. */
const MOST_CHANGES = 100;
const LARGEST_ENTRY = 100_000;

/** Every entry tells when and by whom. */
const TOLD_ANYWAY = ['created_at', 'created_by', 'updated_at', 'last_updated_at'];

/** Stands in the log for a secret. */
const SECRET_MASK = '********';

/** The fields whose values differ between two snapshots of one thing, in their order; of a new thing, what it has. */
export function changesBetween(before: Snapshot, after: Snapshot): Change[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .filter((field) => !TOLD_ANYWAY.includes(field))
    .map((field) => [field, before[field] ?? null, after[field] ?? null] as const)
    .filter(([, from, to]) => !isDeepStrictEqual(from, to))
    .map(([field, from, to]) => ({
      field,
      action: from === null ? 'created' : to === null ? 'deleted' : 'changed',
      before: kept(from),
      after: kept(to),
    }));
}

/** That a secret is another one. */
export const secretChanged = (field: string, mask = SECRET_MASK): Change => ({
  field,
  action: 'changed',
  before: mask,
  after: mask,
});

/** What an entry has room for: without values where they are too long together. */
export function bounded(changes: readonly Change[]): readonly Change[] {
  const first = changes.slice(0, MOST_CHANGES);
  return JSON.stringify(first).length <= LARGEST_ENTRY
    ? first
    : first.map((change) => ({ ...change, before: null, after: null }));
}

const kept = (value: unknown): unknown => (JSON.stringify(value).length > LONGEST_VALUE ? null : value);
