/** How grave a log entry is (BE-37), least first. */
export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Something that happened to an export. Members read it: it never holds a secret of the destination. */
export interface LogEntry {
  readonly id: string;
  readonly batchExportId: string;
  /** The run or the backfill that it happened to. */
  readonly instanceId: string;
  readonly timestamp: Date;
  readonly level: LogLevel;
  readonly message: string;
}

/** The entries that a reader wants; null: whatever they are. `after` and `before` are excluded (BE-36). */
export interface LogFilter {
  readonly after: Date | null;
  readonly before: Date | null;
  readonly levels: readonly LogLevel[] | null;
  /** A part of the message, upper or lower case. */
  readonly search: string | null;
  readonly instanceId: string | null;
}
