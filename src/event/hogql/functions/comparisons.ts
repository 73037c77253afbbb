import { coerced, commonType } from '../coercion';
import type { Sql } from '../compiled-query';
import { type Expression, listed, sql, type Type } from '../expression';
import { likePattern } from '../like-pattern';
import { QueryMeaningless } from '../query-errors';
import { regexPattern } from '../regex-pattern';
import {
  type Context,
  custom,
  described,
  type FunctionGroup,
  type HogqlFunction,
  MOST_ARGUMENTS,
  of,
  taken,
  typed,
  unified,
} from './definition';

/**
 * As in HogQL no comparison is null: what is missing equals what is missing and nothing else, it is unlike anything,
 * and neither less nor greater.
 */
export const COMPARISONS: FunctionGroup = {
  equals: comparison((left, right) => sql`((${left}) IS NOT DISTINCT FROM (${right}))`),
  notEquals: comparison((left, right) => sql`((${left}) IS DISTINCT FROM (${right}))`),
  less: ordering('<'),
  lessOrEquals: ordering('<='),
  greater: ordering('>'),
  greaterOrEquals: ordering('>='),
  in: membership('IN'),
  notIn: membership('NOT IN'),
  like: likeness('LIKE', 'false'),
  notLike: likeness('NOT LIKE', 'true'),
  ilike: likeness('ILIKE', 'false'),
  notILike: likeness('NOT ILIKE', 'true'),
  match: custom('text, pattern', [2, 2], (context, text, pattern) => {
    const expression = context.values.add('text', regexPattern(written(pattern, context)));
    return of('boolean', sql`coalesce((${taken(text, 0, 'text', context)}) ~ ${expression}, false)`);
  }),
};

export const LOGIC: FunctionGroup = {
  and: typed(['boolean', 'boolean', 'boolean...'], 'boolean', (...all) => joined(all, ' AND ')),
  or: typed(['boolean', 'boolean', 'boolean...'], 'boolean', (...all) => joined(all, ' OR ')),
  xor: typed(['boolean', 'boolean'], 'boolean', (one, other) => sql`((${one}) <> (${other}))`),
  not: typed(['boolean'], 'boolean', (it) => sql`(NOT (${it}))`),
};

const joined = (all: readonly Expression[], operator: string): Sql =>
  sql`(${listed(
    all.map((it) => ({ ...it, sql: sql`(${it})` })),
    operator,
  )})`;

function comparison(body: (left: Expression, right: Expression) => Sql): HogqlFunction {
  return custom('any, any', [2, 2], (context, ...operands) => {
    const [left, right] = operands as [Expression, Expression];
    const type = comparedAs(left, right, context);
    const [one, other] = operands.map((operand) => coerced(operand, type, context.values) ?? operand);
    return of('boolean', body(one ?? left, other ?? right));
  });
}

function ordering(operator: string): HogqlFunction {
  return comparison((left, right) => {
    if (left.type === 'json' || left.type === 'array')
      throw new QueryMeaningless(`${left.type} has no order`);
    return sql`coalesce((${left})${left.type === 'text' ? ' COLLATE "C"' : ''} ${operator} (${right}), false)`;
  });
}

function likeness(operator: string, whereMissing: string): HogqlFunction {
  return custom('text, pattern', [2, 2], (context, text, pattern) => {
    const like = context.values.add('text', likePattern(written(pattern, context)));
    const left = taken(text, 0, 'text', context);
    return of('boolean', sql`coalesce((${left}) ${operator} ${like}, ${whereMissing})`);
  });
}

/** What is missing is in no list, and as in HogQL it is not outside of one either. */
function membership(operator: string): HogqlFunction {
  return custom('any, list', [2, Number.POSITIVE_INFINITY], (context, element, ...given) => {
    const items = unified(given, context);
    const type = comparedAs(element, items[0] ?? element, context);
    const [left, ...list] = [element, ...items].map((it) => comparedWith(it, type, element, context));
    return of('boolean', sql`coalesce((${left ?? element}) ${operator} (${listed(list)}), false)`);
  });
}

/** A string of the query and a property become what they are compared with. */
function comparedAs(left: Expression, right: Expression, context: Context): Type {
  const common = commonType(left.type, right.type);
  const type = common ?? readAs(left, right) ?? readAs(right, left);
  if (type === null) throw unlike(left, right, context);
  const compared = type === 'null' ? 'text' : type;
  for (const side of [left, right]) comparedWith(side, compared, side === left ? right : left, context);
  return compared;
}

function comparedWith(it: Expression, type: Type, other: Expression, context: Context): Expression {
  const converted = coerced(it, type, context.values);
  if (converted) return converted;
  throw unlike(it, other, context);
}

function readAs(text: Expression, other: Expression): Type | null {
  if (text.type !== 'text' || other.type === 'interval') return null;
  if (text.json) return other.type === 'integer' ? 'float' : other.type;
  return typeof text.value === 'string' ? other.type : null;
}

const unlike = (left: Expression, right: Expression, { name }: Context) =>
  new QueryMeaningless(
    `${name}(...) cannot compare ${described(left)} with ${described(right)}: ` +
      'convert one of them, with toString, toInt, toFloat or toDateTime',
  );

/** A pattern is part of the query: what events hold is no pattern. */
function written(pattern: Expression, { name }: Context): string {
  if (typeof pattern.value === 'string') return pattern.value;
  throw new QueryMeaningless(`The pattern of ${name}(...) must be a string`);
}

export const MISSING: FunctionGroup = {
  isNull: custom('any', [1, 1], (context, it) => of('boolean', sql`((${whole(it, context)}) IS NULL)`)),
  isNotNull: custom('any', [1, 1], (context, it) =>
    of('boolean', sql`((${whole(it, context)}) IS NOT NULL)`),
  ),
  coalesce: custom('any...', [1, MOST_ARGUMENTS], (context, ...all) => firstOf(unified(all, context))),
  ifNull: custom('any, any', [2, 2], (context, ...all) => firstOf(unified(all, context))),
  nullIf: custom('any, any', [2, 2], (context, it, unwanted) => {
    const type = comparedAs(it, unwanted, context);
    const sides = [it, unwanted].map((side) => comparedWith(side, type, unwanted, context));
    return of(type, sql`nullif(${listed(sides)})`);
  }),
};

export const CONDITIONS: FunctionGroup = {
  if: custom('boolean, any, any', [3, 3], choice),
  multiIf: custom('boolean, any, ..., any', [3, MOST_ARGUMENTS], (context, ...args) => {
    if (args.length % 2 === 1) return choice(context, ...args);
    throw new QueryMeaningless('multiIf(...) needs a value for each condition, and one for when none holds');
  }),
  // What CASE x WHEN is read as.
  _caseWithExpression: custom('any, any, any, ..., any', [4, MOST_ARGUMENTS], (context, subject, ...args) => {
    const equals = COMPARISONS.equals;
    if (!equals || args.length % 2 === 0) throw new QueryMeaningless('CASE needs a value for each WHEN');
    const isCondition = (index: number) => index % 2 === 0 && index < args.length - 1;
    return choice(
      context,
      ...args.map((it, index) => (isCondition(index) ? equals.translate([subject, it], context) : it)),
    );
  }),
};

/** @param args a condition and a value in turn, and at the end what it is when none holds */
function choice(context: Context, ...args: Expression[]): Expression {
  const isCondition = (index: number) => index % 2 === 0 && index < args.length - 1;
  const conditions = args.flatMap((it, index) =>
    isCondition(index) ? [taken(it, index, 'boolean', context)] : [],
  );
  const values = unified(
    args.filter((_, index) => !isCondition(index)),
    context,
  );
  const cases = values.flatMap((value, index) => {
    const condition = conditions[index];
    return condition ? sql`WHEN ${condition} THEN ${value} ` : sql`ELSE ${value}`;
  });
  return { ...common(values), sql: sql`(CASE ${cases} END)` };
}

const firstOf = (all: readonly Expression[]): Expression => ({
  ...common(all),
  sql: sql`coalesce(${listed(all)})`,
});

const common = (all: readonly Expression[]): Pick<Expression, 'type' | 'wholeSeconds'> => ({
  type: all[0]?.type ?? 'null',
  wholeSeconds: all.every(({ wholeSeconds }) => wholeSeconds),
});

/** As what it is; NULL alone has no type in PostgreSQL. */
const whole = (it: Expression, context: Context): Expression =>
  it.type === 'null' ? taken(it, 0, 'text', context) : it;
