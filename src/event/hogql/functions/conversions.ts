import { READERS } from '../coercion';
import type { Sql } from '../compiled-query';
import { type Expression, sql, type Type } from '../expression';
import { QueryMeaningless } from '../query-errors';
import { type Clickhouse, custom, type FunctionGroup, type HogqlFunction, of } from './definition';

type Conversions = Readonly<Partial<Record<Type, (it: Expression) => Sql>>>;

/** Never an error: what cannot be converted is null. */
function conversion(to: Type, from: Conversions, clickhouse?: Clickhouse): HogqlFunction {
  return custom(
    Object.keys(from).join('|'),
    [1, 1],
    ({ name }, it) => {
      const type = it.type === 'null' ? 'text' : it.type;
      const convert = from[type];
      if (!convert) throw new QueryMeaningless(`${name}(...) cannot convert ${type}`);
      return of(to, convert(it.type === 'null' ? of('text', ['NULL::text']) : it));
    },
    clickhouse,
  );
}

const as = (type: string) => (it: Expression) => sql`(${it})::${type}`;
const itself = (it: Expression) => it.sql;
const reader = (type: Type): Conversions => ({ text: READERS[type] ?? itself });
const castOrNull =
  (type: string): Clickhouse =>
  ([it], bind) =>
    `accurateCastOrNull(${it}, ${bind(type)})`;

/** As text; timestamps as ClickHouse writes them, in UTC. */
export const TEXTS: Conversions = {
  text: itself,
  integer: as('text'),
  float: as('text'),
  boolean: as('text'),
  uuid: as('text'),
  timestamp: (it) =>
    sql`to_char((${it}) AT TIME ZONE 'UTC', ${it.wholeSeconds ? `'YYYY-MM-DD HH24:MI:SS'` : `'YYYY-MM-DD HH24:MI:SS.US'`})`,
  date: (it) => sql`to_char(${it}, 'YYYY-MM-DD')`,
  json: as('text'),
  array: as('text'),
};

export const CONVERSIONS: FunctionGroup = {
  toString: conversion('text', TEXTS),
  toInt: conversion(
    'integer',
    {
      ...reader('integer'),
      integer: itself,
      float: (it) => sql`hogql_int(${it})`,
      boolean: (it) => sql`(${it})::integer::bigint`,
      timestamp: (it) => sql`floor(extract(epoch FROM ${it}))::bigint`,
      date: (it) => sql`((${it}) - date '1970-01-01')::bigint`,
    },
    castOrNull('Int64'),
  ),
  toFloat: conversion(
    'float',
    {
      ...reader('float'),
      float: itself,
      integer: as('double precision'),
      boolean: (it) => sql`(${it})::integer::double precision`,
      timestamp: (it) => sql`extract(epoch FROM ${it})::double precision`,
    },
    castOrNull('Float64'),
  ),
  toBool: conversion('boolean', {
    ...reader('boolean'),
    boolean: itself,
    integer: (it) => sql`((${it}) <> 0)`,
    float: (it) => sql`((${it}) <> 0)`,
  }),
  toUUID: conversion('uuid', { ...reader('uuid'), uuid: itself }, castOrNull('UUID')),
  toDate: conversion(
    'date',
    { ...reader('date'), date: itself, timestamp: (it) => sql`((${it}) AT TIME ZONE 'UTC')::date` },
    ([it], _, [type]) => `${type === 'text' ? 'toDateOrNull' : 'toDate'}(${it})`,
  ),
  toDateTime: conversion(
    'timestamp',
    {
      ...reader('timestamp'),
      timestamp: itself,
      date: (it) => sql`((${it})::timestamp AT TIME ZONE 'UTC')`,
      integer: (it) => sql`hogql_from_unix(${it})`,
    },
    ([it], bind, [type]) =>
      type === 'text'
        ? `parseDateTime64BestEffortOrNull(${it}, 6, ${bind('UTC')})`
        : `toDateTime(${it}, ${bind('UTC')})`,
  ),
};
