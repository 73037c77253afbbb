import type { Sql } from '../compiled-query';
import { type Expression, listed, sql } from '../expression';
import { QueryMeaningless } from '../query-errors';
import {
  type Context,
  custom,
  type FunctionGroup,
  type HogqlFunction,
  MOST_ARGUMENTS,
  numeric,
  of,
  taken,
  typed,
  unified,
} from './definition';
import { shifted } from './times';

/** Two numbers as they are, where both are integers, else as floats. */
function numbers(operands: readonly Expression[], context: Context): Expression[] {
  const read = operands.map((operand, index) => numeric(operand, index, context));
  const areIntegers = read.every(({ type }) => type === 'integer');
  return read.map((operand, index) => taken(operand, index, areIntegers ? 'integer' : 'float', context));
}

/** What has no result, or one that is too large, is null. */
const arithmetic = (sqlName: string): HogqlFunction =>
  custom('number, number', [2, 2], (context, ...operands) => arithmeticOf(sqlName, operands, context));

function arithmeticOf(sqlName: string, operands: readonly Expression[], context: Context): Expression {
  const both = numbers(operands, context);
  return of(both[0]?.type ?? 'integer', sql`${sqlName}(${listed(both)})`);
}

/** Of numbers, and of a point in time and an interval. */
const movement = (sqlName: string, direction: 1 | -1): HogqlFunction =>
  custom('number|timestamp, number|interval', [2, 2], (context, left, right) => {
    if (right.type === 'interval') return shifted(left, right, direction, context);
    if (left.type === 'interval' && direction === 1) return shifted(right, left, 1, context);
    if (left.type === 'timestamp' || left.type === 'date')
      throw new QueryMeaningless(
        `To ${left.type} only an interval can be added, such as toIntervalDay(1): see dateDiff`,
      );
    return arithmeticOf(sqlName, [left, right], context);
  });

const ofFloat = (body: (it: Expression) => Sql): HogqlFunction => typed(['float'], 'float', body);
const pow = typed(['float', 'float'], 'float', (base, exponent) => sql`hogql_pow(${base}, ${exponent})`);
const log = ofFloat((it) => sql`hogql_ln(${it})`);

/** Integers stay what they are. */
const rounding = (
  body: (it: Expression, digits: Expression | undefined) => Sql,
  most: number,
): HogqlFunction =>
  custom(most === 2 ? 'number, integer?' : 'number', [1, most], (context, it, digits) => {
    const number = numeric(it, 0, context);
    const places = digits && taken(digits, 1, 'integer', context);
    return number.type === 'integer' && !places
      ? number
      : of('float', body(taken(number, 0, 'float', context), places));
  });

/** Of what has an order; what is null counts for nothing. */
const extreme = (sqlName: string): HogqlFunction =>
  custom('any...', [1, MOST_ARGUMENTS], (context, ...all) => {
    const [first, ...rest] = unified(all, context);
    if (!first || ['null', 'json', 'array', 'interval', 'boolean'].includes(first.type))
      throw new QueryMeaningless(`${context.name}(...) cannot order ${first?.type}`);
    const collation = first.type === 'text' ? ' COLLATE "C"' : '';
    return of(first.type, sql`${sqlName}(${listed([of(first.type, sql`(${first})${collation}`), ...rest])})`);
  });

export const FUNCTIONS_OF_NUMBERS: FunctionGroup = {
  plus: movement('hogql_plus', 1),
  minus: movement('hogql_minus', -1),
  multiply: arithmetic('hogql_multiply'),
  divide: typed(['float', 'float'], 'float', (left, right) => sql`hogql_divide(${left}, ${right})`),
  intDiv: typed(['integer', 'integer'], 'integer', (left, right) => sql`hogql_int_div(${left}, ${right})`),
  modulo: arithmetic('hogql_modulo'),
  negate: custom('number', [1, 1], (context, it) =>
    arithmeticOf('hogql_minus', [of('integer', ['0::bigint']), it], context),
  ),
  abs: custom('number', [1, 1], (context, it) => arithmeticOf('hogql_abs', [it], context)),
  sign: typed(['float'], 'integer', (it) => sql`sign(${it})::bigint`),
  round: rounding((it, digits) => (digits ? sql`hogql_round(${it}, ${digits})` : sql`round(${it})`), 2),
  floor: rounding((it) => sql`floor(${it})`, 1),
  ceil: rounding((it) => sql`ceil(${it})`, 1),
  trunc: rounding((it) => sql`trunc(${it})`, 1),
  sqrt: ofFloat((it) => sql`hogql_sqrt(${it})`),
  pow,
  power: pow,
  exp: ofFloat((it) => sql`hogql_exp(${it})`),
  log,
  ln: log,
  log2: ofFloat((it) => sql`(hogql_ln(${it}) / ln(2::double precision))`),
  log10: ofFloat((it) => sql`hogql_log10(${it})`),
  greatest: extreme('greatest'),
  least: extreme('least'),
};
