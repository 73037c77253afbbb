import { Pool, type PoolClient, types } from 'pg';
import type { ListSource, Source } from './statements';

// Else whole numbers of eight bytes would become texts.
types.setTypeParser(types.builtins.INT8, Number);

/** Which of the two makes the JSON of an answer: PostgreSQL in the query, or Node from rows. */
export type JsonBy = 'postgres' | 'node';

export interface Page {
  readonly count: number;
  /** JSON text of an array. */
  readonly results: string;
}

const selectOf = ({ columns, from, where, order }: ListSource, values: number): string =>
  `SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT $${values - 1} OFFSET $${values}`;

interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

/** Named statements over a pool of connections, as many as the server's. */
export class Database {
  private readonly pool: Pool;
  private readonly names = new Map<string, string>();

  constructor(
    connectionString: string,
    size: number,
    private readonly jsonBy: JsonBy,
  ) {
    this.pool = new Pool({ connectionString, max: size, options: '-c TimeZone=UTC' });
  }

  async rows<Row extends object>(text: string, values: unknown[], on: Pool | PoolClient = this.pool) {
    return (await on.query<Row>({ ...this.named(text), values })).rows;
  }

  /** JSON text, or null where there is no such row. */
  async one({ columns, from, where }: Source, values: unknown[], on?: PoolClient): Promise<string | null> {
    const select = `SELECT ${columns} FROM ${from} WHERE ${where}`;
    if (this.jsonBy === 'node') {
      const [row] = await this.rows(select, values, on);
      return row ? JSON.stringify(row) : null;
    }
    const text = `SELECT row_to_json(r)::text AS json FROM (${select}) AS r`;
    const [row] = await this.rows<{ json: string }>(text, values, on);
    return row?.json ?? null;
  }

  /** The last two of the values are limit and offset. */
  list<Row extends object>(source: ListSource, values: unknown[]): Promise<Row[]> {
    return this.rows<Row>(selectOf(source, values.length), values);
  }

  /** As `list`, with the size of the whole list. */
  async page(source: ListSource, values: unknown[]): Promise<Page> {
    const count = `SELECT count(*)::int AS count FROM ${source.counted} WHERE ${source.where}`;
    if (this.jsonBy === 'node') {
      const [rows, [counts]] = await Promise.all([
        this.list(source, values),
        this.rows<{ count: number }>(count, values.slice(0, -2)),
      ]);
      return { count: counts?.count ?? 0, results: JSON.stringify(rows) };
    }
    const text = `
      SELECT (${count}), '[' || coalesce(string_agg(row_to_json(r)::text, ','), '') || ']' AS results
        FROM (${selectOf(source, values.length)}) AS r`;
    const [page] = await this.rows<Page>(text, values);
    return page ?? { count: 0, results: '[]' };
  }

  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }

  end(): Promise<void> {
    return this.pool.end();
  }

  /** PostgreSQL parses and plans a statement with a name once a connection. */
  private named(text: string): NamedStatement {
    const name = this.names.get(text) ?? `baseline${this.names.size}`;
    this.names.set(text, name);
    return { name, text };
  }
}
