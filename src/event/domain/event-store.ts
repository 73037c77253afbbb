import type { Readable } from 'node:stream';
import type { CapturedEvent } from './captured-event';

/** What records there are: events, or the distinct ids of persons with the person's properties. */
export type RecordModel = 'events' | 'persons';

export type FieldType = 'text' | 'uuid' | 'integer' | 'float' | 'boolean' | 'timestamp' | 'json';

/** A field of the records, in their order. All but identities may be null. */
export interface RecordField {
  readonly name: string;
  readonly type: FieldType;
}

/** The records of a project that arrived from `start`, included, to `end`, excluded. */
export interface Selection {
  readonly projectId: number;
  readonly model: RecordModel;
  readonly start: Date;
  readonly end: Date;
  /** Only events of these names; null: of any. Not for persons. */
  readonly includeEvents: readonly string[] | null;
  /** No events of these names. Not for persons. */
  readonly excludeEvents: readonly string[] | null;
  /** A HogQL query over `events` that says what the records are; null: all of the model's fields. */
  readonly query: string | null;
  /** Only what comes after this record, as its `cursor` says; null: from the first. Not with a query. */
  readonly after: string | null;
}

/**
 * How records are read. `json-lines`: UTF-8, one JSON object for each record, ended by a line feed, no other line
 * feed. `copy-text`: the text format of PostgreSQL's COPY, the fields in order.
 */
export type RecordFormat = 'json-lines' | 'copy-text';

/** Where captured events and persons are kept: PostgreSQL, until events outgrow it. */
export abstract class EventStore {
  /**
   * Keeps events, and the persons that they tell of. One whose uuid the project has is left as it is.
   * @param arrivedAt when they arrived, for what is brought in from elsewhere: now, unless given; in a time that is
   *   closed, when that ends
   * @returns how many were new
   * @throws NotFound when there is no such project
   * @throws ProjectBusy while it is being deleted
   */
  abstract append(projectId: number, events: readonly CapturedEvent[], arrivedAt?: Date): Promise<number>;

  /**
   * After this, nothing arrives in the project before `until`: what was under way is there, and what comes later has
   * a later time of arrival, whatever the clocks of other processes say. What is read up to `until` stays complete.
   */
  abstract close(projectId: number, until: Date): Promise<void>;

  /** When the first record of the model arrived; null when there is none. */
  abstract earliest(projectId: number, model: RecordModel): Promise<Date | null>;

  /** The fields that the records of a selection have. @throws Invalid for a query that is none */
  abstract fieldsOf(selection: Pick<Selection, 'model' | 'query'>): Promise<readonly RecordField[]>;

  /** A count may take as long as a read: aborting ends it at the database too. @throws what the signal says, then */
  abstract count(selection: Selection, signal?: AbortSignal): Promise<number>;

  /**
   * The records in order of arrival, as bytes, with back-pressure. Fails with the database's error when the connection
   * is lost; destroying it ends the read.
   */
  abstract read(selection: Selection, format: RecordFormat): Promise<Readable>;
}
