import type { DeliveredField } from '../../domain/delivery';

type FieldType = DeliveredField['type'];

/** How a kind of server names and writes things. */
export interface Dialect {
  /** The type of a column that is made for a field. */
  readonly types: Readonly<Record<FieldType, string>>;
  /** The types of existing columns that take a field's values as they are, as `information_schema` names them. */
  readonly takes: Readonly<Record<FieldType, readonly string[]>>;
  /** Whether tables have indexes. */
  readonly hasIndexes: boolean;
  /** Makes texts be compared byte by byte. */
  readonly bytewise: string;
  /** Makes of a staged value what its column takes. */
  readonly unstaged: (column: string, type: FieldType) => string;
}

const TEXTS = ['text', 'character varying'];

export const POSTGRES: Dialect = {
  types: {
    text: 'text',
    uuid: 'uuid',
    integer: 'bigint',
    float: 'double precision',
    boolean: 'boolean',
    timestamp: 'timestamp with time zone',
    json: 'jsonb',
  },
  takes: {
    text: TEXTS,
    uuid: ['uuid'],
    integer: ['bigint', 'integer'],
    float: ['double precision'],
    boolean: ['boolean'],
    timestamp: ['timestamp with time zone'],
    json: ['jsonb', 'json'],
  },
  hasIndexes: true,
  bytewise: ' COLLATE "C"',
  unstaged: (column) => column,
};

const LONGEST = 'varchar(65535)';

/** Where JSON is kept as SUPER, it is staged as text: parameters are texts. */
export const redshift = (json: 'varchar' | 'super'): Dialect => ({
  types: {
    text: LONGEST,
    uuid: 'varchar(36)',
    integer: 'bigint',
    float: 'double precision',
    boolean: 'boolean',
    timestamp: 'timestamp with time zone',
    json: json === 'super' ? 'super' : LONGEST,
  },
  takes: {
    ...POSTGRES.takes,
    uuid: TEXTS,
    json: json === 'super' ? ['super'] : TEXTS,
  },
  hasIndexes: false,
  bytewise: '',
  unstaged: (column, type) => (type === 'json' && json === 'super' ? `json_parse(${column})` : column),
});

/** An identifier as it stands in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
