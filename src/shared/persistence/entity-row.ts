import type { EntitySchema, EntitySchemaColumnOptions } from 'typeorm';

interface MappedColumn {
  readonly property: string;
  readonly column: string;
  readonly isJson: boolean;
  /** The database makes its values. */
  readonly isGenerated: boolean;
}

/**
 * The SQL of a domain class's row, as its schema maps it for TypeORM: for named statements that load and write what is
 * written often in as few steps as possible (ADR 24).
 */
export class EntityRow<Entity extends object> {
  readonly table: string;
  private readonly columns: readonly MappedColumn[];
  private readonly writable: readonly MappedColumn[];
  private readonly prototype: object;

  constructor({ options }: EntitySchema<Entity>) {
    const { target, tableName, columns } = options;
    if (typeof target !== 'function' || tableName === undefined)
      throw new Error(`${options.name} has no table`);
    this.table = tableName;
    this.prototype = target.prototype as object;
    this.columns = Object.entries<EntitySchemaColumnOptions | undefined>(columns).map(([property, column]) =>
      mapped(property, column),
    );
    this.writable = this.columns.filter(({ isGenerated }) => !isGenerated);
  }

  /** A select list whose names are the properties. */
  selected(alias: string): string {
    return this.columns.map(({ column, property }) => `${alias}.${column} AS "${property}"`).join(', ');
  }

  /** Columns and parameters of an INSERT: `(a, b) VALUES ($1, $2)`. See `written`. */
  get inserted(): string {
    const parameters = this.writable.map((_, index) => `$${index + 1}`);
    return `(${this.writable.map(({ column }) => column).join(', ')}) VALUES (${parameters.join(', ')})`;
  }

  /** The assignments of an UPDATE: `a = $1, b = $2`. See `written`. */
  get assigned(): string {
    return this.writable.map(({ column }, index) => `${column} = $${index + 1}`).join(', ');
  }

  /** How many values there are in `inserted` and `assigned`: parameters of a statement's own come after them. */
  get size(): number {
    return this.writable.length;
  }

  /** The values of `inserted` and `assigned`. */
  written(entity: Entity): unknown[] {
    const fields = entity as Readonly<Record<string, unknown>>;
    return this.writable.map(({ property, isJson }) => {
      const value = fields[property];
      return isJson && value !== null ? JSON.stringify(value) : value;
    });
  }

  /** What was `selected`, as an instance whose constructor is not called: it is loaded, not made. */
  loaded(row: Readonly<Record<string, unknown>>): Entity {
    const entity = Object.create(this.prototype) as Record<string, unknown>;
    for (const { property } of this.columns) entity[property] = row[property];
    return entity as Entity;
  }
}

/** What of a column is seen to here. TypeORM may be told more, which would be lost. */
const KNOWN: readonly string[] = ['name', 'type', 'array', 'nullable', 'primary', 'generated'];

function mapped(property: string, options: EntitySchemaColumnOptions | undefined): MappedColumn {
  const unknown = Object.keys(options ?? {}).filter((option) => !KNOWN.includes(option));
  if (unknown.length > 0)
    throw new Error(`${property} has ${unknown.join(', ')}, which a row does not see to`);
  return {
    property,
    column: options?.name ?? property,
    isJson: options?.type === 'json' || options?.type === 'jsonb',
    isGenerated: options?.generated !== undefined,
  };
}
