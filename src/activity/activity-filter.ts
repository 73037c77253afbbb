/** What the log is narrowed by; null: not by that. */
export interface ActivityFilter {
  /** The kind of thing, such as `Action`. */
  readonly scope: string | null;
  readonly itemId: string | null;
  /** UUID of who did it. */
  readonly user: string | null;
  readonly after: Date | null;
  readonly before: Date | null;
}
