import { type Expression, sql } from '../expression';
import { QueryMeaningless } from '../query-errors';
import { type Context, custom, type FunctionGroup, type HogqlFunction, of, taken, typed } from './definition';
import { toCharTemplate } from './time-format';

/** All of it in UTC. */
const utc = (it: Expression) => sql`((${it}) AT TIME ZONE 'UTC')`;

const WHOLE_SECONDS = { type: 'timestamp', wholeSeconds: true } as const;

/** The start of a part of the day. */
const startOf = (unit: string): HogqlFunction =>
  typed(['timestamp'], WHOLE_SECONDS, (it) => sql`hogql_start('${unit}', ${it})`);
/** The first day of something longer. */
const firstDayOf = (unit: string): HogqlFunction =>
  typed(
    ['timestamp'],
    'date',
    (it) => sql`${utc(of('timestamp', sql`hogql_start('${unit}', ${it})`))}::date`,
  );
const startOfMinutes = (minutes: number): HogqlFunction =>
  typed(
    ['timestamp'],
    WHOLE_SECONDS,
    (it) => sql`date_bin('${String(minutes)} minutes', ${it}, timestamptz '2000-01-01 00:00:00+00')`,
  );

/** Weeks begin on Sunday; by the modes 1 and 3 on Monday. */
const startOfWeek = custom('timestamp, mode?', [1, 2], (context, it, mode) => {
  if (mode && mode.value !== 0n && mode.value !== 1n && mode.value !== 3n)
    throw new QueryMeaningless(`The mode of ${context.name}(...) must be 0, 1 or 3`);
  return startOfWeekOf(mode && mode.value !== 0n ? 'week' : 'sunday')(context, it);
});
const startOfWeekOf = (unit: string) => (context: Context, it: Expression) =>
  firstDayOf(unit).translate([it], context);

const part = (field: string): HogqlFunction =>
  typed(['timestamp'], 'integer', (it) => sql`floor(extract(${field} FROM ${utc(it)}))::bigint`);
const digits = (template: string): HogqlFunction =>
  typed(['timestamp'], 'integer', (it) => sql`to_char(${utc(it)}, '${template}')::bigint`);
const interval = (unit: string): HogqlFunction =>
  custom('integer', [1, 1], (context, it) => ({
    type: 'interval',
    unit,
    sql: taken(it, 0, 'integer', context).sql,
  }));

const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];

export const FUNCTIONS_OF_TIME: FunctionGroup = {
  now: typed(
    [],
    'timestamp',
    () => ['now()'],
    (_, bind) => `now64(6, ${bind('UTC')})`,
  ),
  today: typed([], 'date', () => [`(now() AT TIME ZONE 'UTC')::date`]),
  yesterday: typed([], 'date', () => [`((now() AT TIME ZONE 'UTC')::date - 1)`]),
  toStartOfSecond: startOf('second'),
  toStartOfMinute: startOf('minute'),
  toStartOfFiveMinutes: startOfMinutes(5),
  toStartOfTenMinutes: startOfMinutes(10),
  toStartOfFifteenMinutes: startOfMinutes(15),
  toStartOfHour: startOf('hour'),
  toStartOfDay: startOf('day'),
  toStartOfWeek: startOfWeek,
  toMonday: firstDayOf('week'),
  toStartOfMonth: firstDayOf('month'),
  toStartOfQuarter: firstDayOf('quarter'),
  toStartOfYear: firstDayOf('year'),
  dateTrunc: custom('unit, timestamp', [2, 2], (context, unit, it) =>
    startOf(unitOf(unit, context)).translate([it], context),
  ),
  toYear: part('year'),
  toQuarter: part('quarter'),
  toMonth: part('month'),
  toDayOfYear: part('doy'),
  toDayOfMonth: part('day'),
  toDayOfWeek: part('isodow'),
  toHour: part('hour'),
  toMinute: part('minute'),
  toSecond: part('second'),
  toYYYYMM: digits('YYYYMM'),
  toYYYYMMDD: digits('YYYYMMDD'),
  toUnixTimestamp: typed(['timestamp'], 'integer', (it) => sql`floor(extract(epoch FROM ${it}))::bigint`),
  fromUnixTimestamp: typed(['integer'], WHOLE_SECONDS, (it) => sql`hogql_from_unix(${it})`),
  dateDiff: custom('unit, timestamp, timestamp', [3, 3], (context, unit, from, to) => {
    const [start, end] = [taken(from, 1, 'timestamp', context), taken(to, 2, 'timestamp', context)];
    return of('integer', sql`hogql_date_diff('${unitOf(unit, context)}', ${start}, ${end})`);
  }),
  formatDateTime: custom('timestamp, format', [2, 2], ({ values, ...context }, it, format) => {
    if (typeof format.value !== 'string')
      throw new QueryMeaningless('The format of formatDateTime(...) must be a string');
    const template = values.add('text', toCharTemplate(format.value));
    return of('text', sql`to_char(${utc(taken(it, 0, 'timestamp', { values, ...context }))}, ${template})`);
  }),
  toIntervalSecond: interval('second'),
  toIntervalMinute: interval('minute'),
  toIntervalHour: interval('hour'),
  toIntervalDay: interval('day'),
  toIntervalWeek: interval('week'),
  toIntervalMonth: interval('month'),
  toIntervalQuarter: interval('quarter'),
  toIntervalYear: interval('year'),
};

function unitOf({ value }: Expression, { name }: Context): string {
  const unit = typeof value === 'string' ? value.toLowerCase() : '';
  if (UNITS.includes(unit)) return unit;
  throw new QueryMeaningless(`The unit of ${name}(...) must be one of '${UNITS.join(`', '`)}'`);
}

/** A point in time, moved by an interval. A date stays one when it is moved by whole days. */
export function shifted(from: Expression, by: Expression, direction: 1 | -1, context: Context): Expression {
  const count = direction === 1 ? by.sql : sql`hogql_minus(0::bigint, ${by})`;
  const moved = (it: Expression) =>
    sql`hogql_add(${taken(it, 0, 'timestamp', context)}, '${by.unit ?? ''}', ${count})`;
  if (from.type !== 'date') return of('timestamp', moved(from));
  const isWhole = !['second', 'minute', 'hour'].includes(by.unit ?? '');
  return isWhole ? of('date', sql`(${moved(from)} AT TIME ZONE 'UTC')::date`) : of('timestamp', moved(from));
}
