import { Client } from 'pg';
import {
  type ColumnName,
  type CompiledQuery,
  POSTGRES_TYPES,
  type Rendering,
  render,
  stagesSql,
} from '../../src/event/hogql/compiled-query';
import { createDatabase, dropDatabase, urlOf } from './database';

/** An event as a query sees it; what is left out is something ordinary. */
export type OddEvent = Partial<Record<Exclude<ColumnName, 'properties'>, string | null>> & {
  readonly properties?: unknown;
};

const ORDINARY: Required<OddEvent> = {
  uuid: '01890f2e-7c1b-7c3d-9a51-6d3c2b1a0f4e',
  event: 'Signed up',
  properties: {},
  distinct_id: 'olive',
  team_id: '7',
  timestamp: '2024-02-29 13:14:15.123456+00',
  created_at: '2024-03-01 00:00:00+00',
  person_id: '01890f2e-7c1b-7c3d-9a51-6d3c2b1a0f4f',
  elements_chain: null,
};

const TYPES: Record<ColumnName, string> = {
  uuid: 'uuid',
  event: 'text',
  properties: 'jsonb',
  distinct_id: 'text',
  team_id: 'bigint',
  timestamp: 'timestamptz',
  created_at: 'timestamptz',
  person_id: 'uuid',
  elements_chain: 'text',
};

/** Events in a database of their own, and queries over them. */
export class HogqlDatabase {
  private constructor(
    private readonly name: string,
    private readonly client: Client,
  ) {}

  static async start(events: readonly OddEvent[]): Promise<HogqlDatabase> {
    const name = `hedgerow_hogql_${process.pid}_${Date.now()}`;
    await createDatabase(name);
    const client = new Client({ connectionString: urlOf(name) });
    await client.connect();
    // As far from what the functions reckon with as a session may be.
    await client.query(
      `SET TimeZone = 'Asia/Kathmandu'; SET DateStyle = 'SQL, DMY'; SET IntervalStyle = 'sql_standard';
       SET enable_memoize = off`,
    );
    const columns = Object.entries(TYPES).map(([column, type]) => `"${column}" ${type}`);
    await client.query(`CREATE TEMP TABLE odd_events (place serial, ${columns.join(', ')})`);
    for (const event of events) {
      const { properties, ...row } = { ...ORDINARY, ...event };
      await client.query(
        `INSERT INTO odd_events (${Object.keys(TYPES)
          .map((column) => `"${column}"`)
          .join(', ')})
         SELECT ${Object.entries(TYPES)
           .map(([column, type]) => `($1::json ->> '${column}')::${type}`)
           .join(', ')}`,
        [JSON.stringify({ ...row, properties: JSON.stringify(properties) })],
      );
    }
    return new HogqlDatabase(name, client);
  }

  async stop(): Promise<void> {
    await this.client.end();
    await dropDatabase(this.name);
  }

  /** The records that the query makes of the events, in their order, as JSON has them. */
  async records(query: CompiledQuery): Promise<Record<string, unknown>[]> {
    const numbers: number[] = [];
    const rendering: Rendering = {
      value: (number) => {
        if (!numbers.includes(number)) numbers.push(number);
        return `$${numbers.indexOf(number) + 1}::${query.values[number]?.type}`;
      },
      column: (column) => `e."${column}"`,
    };
    const { joins, fits } = stagesSql(query.stages, rendering, true);
    const columns = query.columns.map(
      ({ name, type, sql }) =>
        `${render(sql, rendering)}::${POSTGRES_TYPES[type]} AS "${name.replaceAll('"', '""')}"`,
    );
    const where = `WHERE ${fits ?? 'true'} AND ${query.where ? render(query.where, rendering) : 'true'}`;
    const { rows } = await this.client.query<{ record: Record<string, unknown> }>(
      `SELECT row_to_json(r) AS record FROM (SELECT ${columns.join(', ')} FROM odd_events e ${joins} ${where} ORDER BY place) r`,
      numbers.map((number) => query.values[number]?.text),
    );
    return rows.map(({ record }) => record);
  }

  /** The columns that are of another type in PostgreSQL than the query says. */
  async mistyped(query: CompiledQuery): Promise<string[]> {
    const rendering: Rendering = {
      value: (number) => `NULL::${query.values[number]?.type}`,
      column: (column) => `e."${column}"`,
    };
    const types = query.columns.map(
      ({ sql, type }) => `pg_typeof(${render(sql, rendering)}) = '${POSTGRES_TYPES[type]}'::regtype`,
    );
    const { rows } = await this.client.query<{ types: boolean[] }>(
      `SELECT ARRAY[${types.join(', ')}] AS types FROM odd_events e ${stagesSql(query.stages, rendering, true).joins}
        LIMIT 1`,
    );
    return query.columns.filter((_, index) => !rows[0]?.types[index]).map(({ name }) => name);
  }
}
