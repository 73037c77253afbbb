import type { RecordField, RecordFormat, RecordModel, Selection } from '../domain/event-store';
import { recompileQuery } from '../hogql/compile-query';
import {
  type ColumnName,
  type CompiledQuery,
  POSTGRES_TYPES,
  type Rendering,
  render,
  stagesOf,
  stagesSql,
} from '../hogql/compiled-query';

interface Column extends RecordField {
  readonly sql: string;
}

interface Model {
  readonly columns: readonly Column[];
  readonly from: string;
  /** When a record arrived. */
  readonly arrival: string;
  /** The order of the records, and what their cursor says of each: total, the arrival first. */
  readonly order: readonly Column[];
}

const column = (name: string, type: RecordField['type'], sql: string): Column => ({ name, type, sql });

const EVENT_COLUMNS: readonly Column[] = [
  column('uuid', 'uuid', 'e.uuid'),
  column('event', 'text', 'e.event'),
  column('properties', 'json', 'e.properties'),
  column('distinct_id', 'text', 'e.distinct_id'),
  column('team_id', 'integer', 'e.project_id'),
  column('timestamp', 'timestamp', 'e.timestamp'),
  column('created_at', 'timestamp', 'e.created_at'),
  column('person_id', 'uuid', 'e.person_id'),
  column('elements_chain', 'text', 'e.elements_chain'),
  column('set', 'json', 'e.set'),
  column('set_once', 'json', 'e.set_once'),
];

const PERSON_COLUMNS: readonly Column[] = [
  column('team_id', 'integer', 'e.project_id'),
  column('distinct_id', 'text', 'd.distinct_id'),
  column('person_id', 'uuid', 'e.id'),
  column('properties', 'json', 'e.properties'),
  column('person_version', 'integer', 'e.version'),
  column('person_distinct_id_version', 'integer', 'd.version'),
  column('created_at', 'timestamp', 'e.created_at'),
  column('updated_at', 'timestamp', 'e.updated_at'),
];

const named = (columns: readonly Column[], ...names: string[]): Column[] =>
  names.flatMap((name) => columns.filter((candidate) => candidate.name === name));

const MODELS: Record<RecordModel, Model> = {
  events: {
    columns: EVENT_COLUMNS,
    from: 'events e',
    arrival: 'e.created_at',
    order: named(EVENT_COLUMNS, 'created_at', 'uuid'),
  },
  persons: {
    columns: PERSON_COLUMNS,
    from: 'persons e JOIN person_distinct_ids d ON d.project_id = e.project_id AND d.person_id = e.id',
    arrival: 'e.updated_at',
    order: named(PERSON_COLUMNS, 'updated_at', 'person_id', 'distinct_id'),
  },
};

/** What a query's columns are in the store; the JSON in the form that its functions take, made once for each event. */
const QUERIED: Record<ColumnName, string> = {
  uuid: 'e.uuid',
  event: 'e.event',
  properties: 'j.properties',
  distinct_id: 'e.distinct_id',
  team_id: '(e.project_id::bigint)',
  timestamp: 'e.timestamp',
  created_at: 'e.created_at',
  person_id: 'e.person_id',
  elements_chain: 'e.elements_chain',
};

const JSON_ONCE = 'CROSS JOIN LATERAL (SELECT e.properties::jsonb AS properties OFFSET 0) AS j';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A selection as SQL. Its values are no part of it: it refers to them as settings of the transaction. */
export class RecordQuery {
  /** The texts of the values, the first for the setting `hedgerow.v1`. */
  readonly values: string[] = [];
  private columns: readonly Column[];
  /** For the records, and for their number. */
  private from: { records: string; count: string };
  private readonly conditions: string[];
  /** What a record has to be besides, to be exported. */
  private readonly fitting: string[] = [];
  private readonly order: string;

  private constructor(selection: Selection) {
    const { columns, from, arrival, order } = MODELS[selection.model];
    this.columns = columns;
    this.from = { records: from, count: from };
    this.order = order.map(({ sql }) => sql).join(', ');
    this.conditions = [
      `e.project_id = ${this.value(String(selection.projectId), 'integer')}`,
      `${arrival} >= ${this.value(selection.start.toISOString(), 'timestamptz')}`,
      `${arrival} < ${this.value(selection.end.toISOString(), 'timestamptz')}`,
    ];
    if (selection.after !== null) {
      const place = cursorParts(selection.after, order.length).map((part, index) =>
        this.value(part, POSTGRES_TYPES[order[index]?.type ?? 'text']),
      );
      this.conditions.push(`(${this.order}) > (${place.join(', ')})`);
    }
    if (selection.model === 'persons') return;
    const { includeEvents, excludeEvents } = selection;
    if (includeEvents) this.conditions.push(`e.event IN ${this.list(includeEvents)}`);
    if (excludeEvents) this.conditions.push(`e.event NOT IN ${this.list(excludeEvents)}`);
  }

  /** @throws Invalid for a query that is none */
  static async of(selection: Selection): Promise<RecordQuery> {
    const query = new RecordQuery(selection);
    if (selection.query !== null) query.narrow(await recompileQuery(selection.query));
    return query;
  }

  /** @throws Invalid for a query that is none */
  static async fieldsOf({
    model,
    query,
  }: Pick<Selection, 'model' | 'query'>): Promise<readonly RecordField[]> {
    const columns: readonly RecordField[] =
      query === null ? MODELS[model].columns : (await recompileQuery(query)).columns;
    return columns.map(({ name, type }) => ({ name, type }));
  }

  count(): string {
    return `SELECT count(*) FROM ${this.from.count} WHERE ${this.conditions.join(' AND ')}`;
  }

  records(format: RecordFormat): string {
    const columns = this.columns.map(({ name, type, sql }) => {
      const shown = format === 'json-lines' && type === 'timestamp' ? `iso8601(${sql})` : sql;
      return `${shown} AS ${quoted(name)}`;
    });
    const records = `SELECT ${columns.join(', ')} FROM ${this.from.records}
                      WHERE ${[...this.conditions, ...this.fitting].join(' AND ')} ORDER BY ${this.order}`;
    return format === 'json-lines' ? `SELECT row_to_json(record) FROM (${records}) AS record` : records;
  }

  /** What the query says in place of the model's columns. */
  private narrow({ stages, columns, where, values }: CompiledQuery): void {
    let looksIntoJson = false;
    const rendering: Rendering = {
      value: (number) => {
        const { type, text } = values[number] ?? { type: 'text', text: '' };
        return this.value(text, type);
      },
      column: (name) => {
        looksIntoJson ||= name === 'properties';
        return QUERIED[name];
      },
    };
    if (where) this.conditions.push(`(${render(where, rendering)})`);
    const toChoose = stagesSql(stagesOf(where ?? [], stages), rendering, false);
    const { joins, fits } = stagesSql(stages, rendering, true);
    if (fits) this.fitting.push(fits);
    this.columns = columns.map(({ name, type, sql }) => column(name, type, render(sql, rendering)));
    const once = looksIntoJson ? JSON_ONCE : '';
    this.from = {
      records: `${this.from.records} ${once} ${joins}`,
      count: `${this.from.count} ${once} ${toChoose.joins}`,
    };
  }

  /** Evaluated once for the whole query, as a parameter would be. */
  private value(text: string, type: string): string {
    this.values.push(text);
    return `(SELECT current_setting('hedgerow.v${this.values.length}')::${type})`;
  }

  private list(texts: readonly string[]): string {
    return `(SELECT json_array_elements_text(${this.value(JSON.stringify(texts), 'json')}))`;
  }
}

/** The last part may hold slashes of its own. */
function cursorParts(cursor: string, count: number): string[] {
  const parts = cursor.split('/');
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join('/')];
}
