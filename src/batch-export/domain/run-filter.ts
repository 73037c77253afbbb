import type { RunStatus } from './run';

/** The runs that a reader wants; null: whatever they are. */
export interface RunFilter {
  readonly statuses: readonly RunStatus[] | null;
  /** Those whose data interval ends after this moment, so that it holds data from then on. */
  readonly after: Date | null;
  /** Those whose data interval starts before this moment. */
  readonly before: Date | null;
  /** The runs of this backfill. */
  readonly backfillId: string | null;
}
