import type { QueryValue } from './compiled-query';
import { type Expression, sql, type Type, type Values } from './expression';
import { timestampOf } from './timestamp-text';

/** The PostgreSQL types of what is no field. */
const SQL_TYPES: Readonly<Record<Exclude<Type, 'null' | 'interval'>, string>> = {
  text: 'text',
  uuid: 'uuid',
  integer: 'bigint',
  float: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  json: 'jsonb',
  date: 'date',
  array: 'jsonb',
};

type Conversion = (expression: Expression) => Expression['sql'];

/** What becomes another type by itself, as it does in ClickHouse: nothing is lost by it. */
const IMPLICIT: Readonly<Partial<Record<Type, Partial<Record<Type, Conversion>>>>> = {
  integer: { float: (it) => sql`(${it})::double precision`, boolean: (it) => sql`((${it}) <> 0)` },
  boolean: {
    integer: (it) => sql`(${it})::integer::bigint`,
    float: (it) => sql`(${it})::integer::double precision`,
  },
  date: { timestamp: (it) => sql`((${it})::timestamp AT TIME ZONE 'UTC')` },
  json: { text: (it) => sql`(${it})::text` },
};

/** What a text of an event is read as; null where it is none. */
export const READERS: Readonly<Partial<Record<Type, Conversion>>> = {
  integer: (it) => sql`hogql_int(${it})`,
  float: (it) => sql`hogql_float(${it})`,
  boolean: (it) => sql`hogql_bool(${it})`,
  timestamp: (it) => sql`hogql_timestamp(${it})`,
  date: (it) => sql`hogql_date(${it})`,
  uuid: (it) => sql`hogql_uuid(${it})`,
};

const INTEGER = /^[+-]?\d{1,18}$/;
const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a string of the query is read as where another type is needed; null where it is none. */
const LITERALS: Readonly<Partial<Record<Type, (text: string) => [QueryValue['type'], string] | null>>> = {
  integer: (text) => (INTEGER.test(text) ? ['bigint', text] : null),
  float: (text) =>
    FLOAT.test(text) && Number.isFinite(Number(text)) ? ['double precision', String(Number(text))] : null,
  timestamp: (text) => withType('timestamptz', timestampOf(text)),
  date: (text) => withType('date', timestampOf(text)?.slice(0, 10) ?? null),
  uuid: (text) => (UUID.test(text) ? ['uuid', text] : null),
};

const withType = (type: QueryValue['type'], text: string | null): [QueryValue['type'], string] | null =>
  text === null ? null : [type, text];

/** The expression as another type; null where it does not become one by itself. */
export function coerced(expression: Expression, type: Type, values: Values): Expression | null {
  if (expression.type === type) return expression;
  if (type === 'null' || type === 'interval') return null;
  if (expression.type === 'null') return { type, sql: [`NULL::${SQL_TYPES[type]}`], value: null };
  if (expression.type === 'text' && typeof expression.value === 'string') {
    const literal = LITERALS[type]?.(expression.value);
    return literal ? { type, sql: values.add(...literal) } : null;
  }
  const convert = IMPLICIT[expression.type]?.[type] ?? (expression.json ? READERS[type] : undefined);
  return convert ? { type, sql: convert(expression) } : null;
}

/** What two types have in common: the one that both become by themselves. Null where there is none. */
export function commonType(one: Type, other: Type): Type | null {
  if (one === other || other === 'null') return one;
  if (one === 'null') return other;
  const pair = [one, other];
  const is = (...types: readonly Type[]) => pair.every((type) => types.includes(type));
  if (is('integer', 'float')) return 'float';
  if (is('integer', 'boolean')) return 'integer';
  if (is('float', 'boolean')) return 'float';
  if (is('date', 'timestamp')) return 'timestamp';
  if (is('json', 'text')) return 'text';
  return null;
}
