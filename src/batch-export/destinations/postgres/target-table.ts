import type { Model } from '../../domain/batch-export';
import { type DeliveredField, type Delivery, DeliveryFailed } from '../../domain/delivery';
import type { Config } from '../../domain/destination-rules';
import { type Dialect, quoted } from './dialect';
import type { Session } from './session';

/** The table that a run's records wait in until all are there; it is the session's own. */
export const STAGING = 'hedgerow_staging';

/**
 * What the records of a query carry besides: `<export>/<start>/<end>` of their data interval. A query's records need
 * have nothing that tells them apart, so a repeat replaces those of its interval.
 */
export const INTERVAL_COLUMN = '_hedgerow_interval';

/** What tells the records of a model apart. */
const KEYS: Readonly<Record<Model, readonly string[]>> = {
  events: ['team_id', 'uuid'],
  persons: ['team_id', 'distinct_id'],
};

const LONGEST_NAME = 63;
/** How many differences an error names. */
const NAMED_DIFFERENCES = 5;

const COLUMNS = `
  SELECT column_name AS name, data_type AS type FROM information_schema.columns
   WHERE table_schema = $1 AND table_name = $2`;

interface Command {
  readonly sql: string;
  readonly values?: readonly unknown[];
}

/** The table that records are exported to. */
export class TargetTable {
  private readonly schema: string;
  private readonly table: string;
  /** All that a row holds. */
  private readonly columns: readonly DeliveredField[];

  constructor(
    { schema, table_name }: Config,
    private readonly delivery: Delivery,
    private readonly dialect: Dialect,
  ) {
    this.schema = String(schema);
    this.table = String(table_name);
    const { fields, isQuery } = delivery;
    this.columns = isQuery ? [...fields, { name: INTERVAL_COLUMN, type: 'text' }] : fields;
    const long = this.columns.find(({ name }) => Buffer.byteLength(name) > LONGEST_NAME);
    if (long) {
      throw new DeliveryFailed(`Column ${quoted(long.name)} has a name of over ${LONGEST_NAME} bytes`, false);
    }
  }

  get name(): string {
    return `${quoted(this.schema)}.${quoted(this.table)}`;
  }

  /** The names of the records' fields, as a list in a statement. */
  get fieldNames(): string {
    return this.delivery.fields.map(({ name }) => quoted(name)).join(', ');
  }

  /** The columns of a staging table, as a list in a statement; JSON is staged as text. */
  get stagedColumns(): string {
    const { types } = this.dialect;
    return this.delivery.fields
      .map(({ name, type }) => `${quoted(name)} ${types[type === 'json' ? 'text' : type]}`)
      .join(', ');
  }

  /** Makes the table where it is missing. @returns whether it did @throws DeliveryFailed for one that differs */
  async prepare(session: Session): Promise<boolean> {
    if (await this.exists(session)) return false;
    try {
      for (const { sql } of this.creation) await session.query(sql);
      return true;
    } catch (error) {
      await session.query('ROLLBACK');
      // Somebody else may have made it meanwhile.
      if (await this.exists(session)) return false;
      throw error;
    }
  }

  /** The statements that bring the staged records in, without those that are there; the last counts the new ones. */
  get merge(): readonly Command[] {
    const { fields, isQuery, model } = this.delivery;
    const names = this.columns.map(({ name }) => quoted(name)).join(', ');
    const values = fields.map(({ name, type }) => this.dialect.unstaged(`${STAGING}.${quoted(name)}`, type));
    const insert = `INSERT INTO ${this.name} (${names}) SELECT ${values.join(', ')}`;
    if (isQuery) return [this.withdrawal, { sql: `${insert}, $1 FROM ${STAGING}`, values: [this.interval] }];
    const isSame = this.key.map((key) => `${this.name}.${key} = ${STAGING}.${key}`).join(' AND ');
    const addition = {
      sql: `${insert} FROM ${STAGING} WHERE NOT EXISTS (SELECT 1 FROM ${this.name} WHERE ${isSame})`,
    };
    return model === 'events' ? [addition] : [this.outdated(isSame), addition];
  }

  private get key(): readonly string[] {
    return KEYS[this.delivery.model].map(quoted);
  }

  /** Persons change: the newest version stays. A distinct id may also go from one person to another. */
  private outdated(isSame: string): Command {
    const [id, person] = ['person_distinct_id_version', 'person_version'].map(quoted);
    const [old, staged] = [this.name, STAGING];
    const isOlder =
      `(${old}.${id} < ${staged}.${id} OR ` +
      `(${old}.${id} = ${staged}.${id} AND ${old}.${person} < ${staged}.${person}))`;
    return { sql: `DELETE FROM ${old} USING ${staged} WHERE ${isSame} AND ${isOlder}` };
  }

  /** Records of the same interval, or of shorter ones in it from before the export's interval was changed. */
  private get withdrawal(): Command {
    const { batchExportId, interval } = this.delivery;
    const column = `${quoted(INTERVAL_COLUMN)}${this.dialect.bytewise}`;
    const [start, end] = [iso(interval.start), iso(interval.end)];
    return {
      sql: `DELETE FROM ${this.name}
             WHERE ${column} >= $1 AND ${column} < $2 AND split_part(${column}, '/', 3) <= $3`,
      values: [`${batchExportId}/${start}`, `${batchExportId}/${end}`, end],
    };
  }

  private get interval(): string {
    const { batchExportId, interval } = this.delivery;
    return `${batchExportId}/${iso(interval.start)}/${iso(interval.end)}`;
  }

  private get creation(): readonly Command[] {
    const { isQuery } = this.delivery;
    const { types, hasIndexes, bytewise } = this.dialect;
    const columns = this.columns.map(
      ({ name, type }) =>
        `${quoted(name)} ${types[type]}${isQuery && name === INTERVAL_COLUMN ? bytewise : ''}`,
    );
    const key = !isQuery && hasIndexes ? `, PRIMARY KEY (${this.key.join(', ')})` : '';
    const create = { sql: `CREATE TABLE ${this.name} (${columns.join(', ')}${key})` };
    if (!isQuery || !hasIndexes) return [create];
    const index = { sql: `CREATE INDEX ON ${this.name} (${quoted(INTERVAL_COLUMN)})` };
    return [{ sql: 'BEGIN' }, create, index, { sql: 'COMMIT' }];
  }

  private async exists(session: Session): Promise<boolean> {
    const { rows } = await session.query(COLUMNS, [this.schema, this.table]);
    if (rows.length === 0) return false;
    const existing = new Map(
      (rows as { name: string; type: string }[]).map(({ name, type }) => [name, type]),
    );
    const differences = this.columns.flatMap(({ name, type }) => {
      const has = existing.get(name);
      const [wanted = '', ...others] = this.dialect.takes[type];
      if (has !== undefined && [wanted, ...others].includes(has)) return [];
      return has === undefined
        ? [`column ${quoted(name)} (${wanted}) is missing`]
        : [`column ${quoted(name)} is ${has}, not ${wanted}`];
    });
    if (differences.length === 0) return true;
    const more = differences.length - NAMED_DIFFERENCES;
    throw new DeliveryFailed(
      `Table ${this.name} differs from what is exported, and is left as it is: ` +
        differences.slice(0, NAMED_DIFFERENCES).join('; ') +
        (more > 0 ? `; and ${more} more` : ''),
      false,
    );
  }
}

/** Boundaries of intervals are whole seconds; texts of one length are ordered like the times. */
const iso = (time: Date): string => time.toISOString().replace(/\.\d+/, '');
