import type { FieldType } from '../domain/event-store';

/** The columns of `events` that a query may name. */
export const COLUMNS = {
  uuid: 'uuid',
  event: 'text',
  properties: 'json',
  distinct_id: 'text',
  team_id: 'integer',
  timestamp: 'timestamp',
  created_at: 'timestamp',
  person_id: 'uuid',
  elements_chain: 'text',
} as const satisfies Record<string, FieldType>;

export type ColumnName = keyof typeof COLUMNS;

/** A piece of SQL: text as it stands, a value by its number, or a column of the event. */
export type SqlPart = string | { readonly value: number } | { readonly column: ColumnName };
export type Sql = readonly SqlPart[];

/** A value that the query's author gave: never part of the SQL's text. */
export interface QueryValue {
  /** The PostgreSQL type to cast its text to. */
  readonly type: 'text' | 'bigint' | 'double precision' | 'timestamptz' | 'date' | 'uuid';
  readonly text: string;
}

export interface QueryColumn {
  /** At most 63 bytes, not empty, not the name of another one; any other character may be in it. */
  readonly name: string;
  /** The SQL has the PostgreSQL type of `POSTGRES_TYPES`. */
  readonly type: FieldType;
  readonly sql: Sql;
}

/** What a batch export shows of its query (BE-24). */
export interface QuerySchema {
  readonly fields: readonly { readonly expression: string; readonly alias: string }[];
  readonly values: Readonly<Record<string, string>>;
  readonly hogql_query: string;
}

/** A HogQL query over `events` as expressions of PostgreSQL, that fail on no row. */
export interface CompiledQuery {
  readonly schema: QuerySchema;
  readonly columns: readonly QueryColumn[];
  /** A boolean; rows where it is null are none of the query's. Null: every row is. */
  readonly where: Sql | null;
  /** What the SQL refers to by number, from 0. */
  readonly values: readonly QueryValue[];
}

export const POSTGRES_TYPES: Readonly<Record<FieldType, string>> = {
  text: 'text',
  uuid: 'uuid',
  integer: 'bigint',
  float: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  json: 'jsonb',
};

/** How the store writes what SQL refers to. Each must give an operand: a name, a parameter, a call, or parentheses. */
export interface Rendering {
  value(number: number): string;
  column(name: ColumnName): string;
}

export const render = (sql: Sql, { value, column }: Rendering): string =>
  sql
    .map((part) =>
      typeof part === 'string' ? part : 'value' in part ? value(part.value) : column(part.column),
    )
    .join('');
