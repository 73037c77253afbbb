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

/** A piece of SQL: text as it stands, a value by its number, a column of the event, or what was computed of it. */
export type SqlPart =
  | string
  | { readonly value: number }
  | { readonly column: ColumnName }
  | { readonly computed: number };
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

/** What is computed once for each event, however often the query names it. */
export interface Computed {
  readonly number: number;
  readonly sql: Sql;
  /** How its size is found; null: it is small whatever the event is. */
  readonly grows: 'text' | 'json' | null;
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
  /** What columns and condition refer to, in the order in which it is computed, each stage from those before. */
  readonly stages: readonly (readonly Computed[])[];
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
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('computed' in part) return nameOf(part.computed);
      return 'value' in part ? value(part.value) : column(part.column);
    })
    .join('');

/** The numbers of what the SQL refers to. */
export const computedIn = (sql: Sql): number[] =>
  sql.flatMap((part) => (typeof part === 'object' && 'computed' in part ? [part.computed] : []));

/** The stages that the SQL needs: those that it refers to, and what these may refer to. */
export function stagesOf(sql: Sql, stages: CompiledQuery['stages']): CompiledQuery['stages'] {
  const last = computedIn(sql).reduce((one, other) => Math.max(one, other), -1);
  return stages.filter((stage) => stage.some(({ number }) => number <= last));
}

/** In bytes, of all that a query computes of one event: twice the largest event, and some. */
const LARGEST_RECORD = 48 * 1024 * 1024;

const nameOf = (number: number): string => `computed_${number}`;
const SIZES = { text: 'octet_length', json: 'pg_column_size' };

/**
 * What is to follow FROM for columns and condition to find what was computed. A stage is computed where those before
 * it have left room in the record: else the database would hold hundreds of texts of megabytes at once, and fail late.
 * @param stages those that are needed
 * @param measured whether the size counts: not for what is needed to choose events, of which little is computed
 */
export function stagesSql(
  stages: CompiledQuery['stages'],
  rendering: Rendering,
  measured: boolean,
): { readonly joins: string; readonly fits: string | null } {
  let total = '0::bigint';
  const joins = stages.map((stage, index) => {
    const names = stage.map(({ number }) => nameOf(number));
    const computed = stage.map(({ number, sql }) => `${render(sql, rendering)} AS ${nameOf(number)}`);
    const sizes = stage.flatMap(({ number, grows }) =>
      grows ? [`coalesce(${SIZES[grows]}(${nameOf(number)}), 0)`] : [],
    );
    const values = `(SELECT ${computed.join(', ')} OFFSET 0) AS computed`;
    if (!measured) return `CROSS JOIN LATERAL ${values}_${index}`;
    const sum = [total, ...sizes].join(' + ');
    total = `stage_${index}.size`;
    return `CROSS JOIN LATERAL (
      SELECT ${names.join(', ')}, CASE WHEN sum <= ${LARGEST_RECORD} THEN sum ELSE hogql_too_large() END AS size
        FROM (SELECT *, ${sum} AS sum FROM ${values} OFFSET 0) AS summed OFFSET 0) AS stage_${index}`;
  });
  return { joins: joins.join(' '), fits: measured && stages.length > 0 ? `${total} >= 0` : null };
}
