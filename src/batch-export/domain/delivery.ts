import type { Readable } from 'node:stream';
import type { Model } from './batch-export';
import type { DataInterval } from './interval';
import type { LogLevel } from './log-entry';

/** A field of the records that are delivered, in their order. */
export interface DeliveredField {
  readonly name: string;
  readonly type: 'text' | 'uuid' | 'integer' | 'float' | 'boolean' | 'timestamp' | 'json';
}

/** The records of one run, on their way to a destination. */
export interface Delivery {
  readonly batchExportId: string;
  readonly runId: string;
  readonly projectId: number;
  readonly model: Model;
  readonly interval: DataInterval;
  readonly fields: readonly DeliveredField[];
  /** Whether the fields are those of a query, rather than the model's own. */
  readonly isQuery: boolean;
  /** What an attempt before this one reached, as it said by `reached`; null when it is the first. */
  readonly cursor: string | null;
  /**
   * The records in order of arrival. `json-lines`: UTF-8, one JSON object for each record, ended by a line feed, no
   * other line feed; `copy-text`: the text format of PostgreSQL's COPY, the fields in order. May be called again.
   * @param after leaves out the records up to this one, as its cursor (`cursorOf`) says
   */
  read(format: 'json-lines' | 'copy-text', after?: string | null): Promise<Readable>;
}

/** What a destination tells while it is written to. */
export interface DeliveryProgress {
  /**
   * These many more records and bytes are written; cheap, told as often as there is something to tell. An attempt that
   * tells nothing for ten minutes is ended, so it is told when the destination has moved, never because time has passed.
   */
  wrote(records: number, bytes: number): void;
  /** Everything up to this record is kept by the destination: another attempt may go on from there. */
  reached(cursor: string): void;
  log(level: LogLevel, message: string): void;
  /**
   * Looks whether the run is still this worker's, before what cannot be taken back.
   * @throws RunLost when it was cancelled, or taken over
   */
  confirm(): Promise<void>;
}

/** What a record is known by when a delivery goes on behind it: when it arrived, and its uuid. */
export const cursorOf = (record: { readonly created_at: string; readonly uuid: string }): string =>
  `${record.created_at}/${record.uuid}`;

/**
 * The destination did not take the records; `message` is in its own words, without secrets. What may pass by itself
 * (it cannot be reached, is overloaded, the connection was cut) is transient.
 */
export class DeliveryFailed extends Error {
  constructor(
    message: string,
    readonly isTransient: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
