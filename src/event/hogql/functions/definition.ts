import { coerced, commonType } from '../coercion';
import type { Sql } from '../compiled-query';
import type { Expression, Type, Values } from '../expression';
import { QueryMeaningless } from '../query-errors';

export interface Context {
  /** What the query calls it. */
  readonly name: string;
  readonly values: Values;
}

export interface HogqlFunction {
  /** For people: `text, integer?`. */
  readonly parameters: string;
  readonly least: number;
  readonly most: number;
  /** As many arguments as it takes. @throws QueryMeaningless where they are of other types than it takes */
  translate(args: readonly Expression[], context: Context): Expression;
  /** How PostHog writes it in ClickHouse's SQL where it does not leave it as it is. */
  readonly clickhouse?: Clickhouse;
}

/** @param bind makes a value of the query's `values` of a text, and gives its place holder */
export type Clickhouse = (
  args: readonly string[],
  bind: (text: string) => string,
  types: readonly Type[],
) => string;

export type FunctionGroup = Readonly<Record<string, HogqlFunction>>;

/** A type, with `?` where it may be left out, with `...` for any number of them. */
type Parameter = Type | `${Type}?` | `${Type}...`;

/** A function whose parameters have one type each, which its arguments become by themselves. */
export function typed(
  parameters: readonly Parameter[],
  result: Type | Pick<Expression, 'type' | 'wholeSeconds'>,
  body: (...args: Expression[]) => Sql,
  clickhouse?: Clickhouse,
): HogqlFunction {
  const types = parameters.map((parameter) => parameter.replace(/[?.]+$/, '') as Type);
  const translate: HogqlFunction['translate'] = (args, context) => ({
    ...(typeof result === 'string' ? { type: result } : result),
    sql: body(
      ...args.map((argument, index) =>
        taken(argument, index, types[index] ?? types.at(-1) ?? 'text', context),
      ),
    ),
  });
  const isOpen = parameters.at(-1)?.endsWith('...') ?? false;
  return {
    parameters: parameters.join(', '),
    least: parameters.filter((parameter) => !/[?.]$/.test(parameter)).length,
    most: isOpen ? MOST_ARGUMENTS : parameters.length,
    translate,
    ...(clickhouse ? { clickhouse } : {}),
  };
}

/** PostgreSQL takes no more in a call. */
export const MOST_ARGUMENTS = 100;

/** A function that looks at the types of its arguments. */
export const custom = (
  parameters: string,
  [least, most]: readonly [number, number],
  body: (context: Context, ...args: Expression[]) => Expression,
  clickhouse?: Clickhouse,
): HogqlFunction => ({
  parameters,
  least,
  most,
  translate: (args, context) => body(context, ...args),
  ...(clickhouse ? { clickhouse } : {}),
});

/** The argument as the type that is needed. */
export function taken(
  argument: Expression,
  index: number,
  type: Type,
  { name, values }: Context,
): Expression {
  const converted = coerced(argument, type, values);
  if (converted) return converted;
  throw new QueryMeaningless(
    `Argument ${index + 1} of ${name}(...) must be ${type}, not ${described(argument)}`,
  );
}

/** Expressions as the one type that they have in common. */
export function unified(expressions: readonly Expression[], { name, values }: Context): Expression[] {
  const type = expressions.reduce<Type>((common, { type: next }) => {
    const both = commonType(common, next);
    if (both !== null) return both;
    throw new QueryMeaningless(
      `${name}(...) cannot be both ${common} and ${next}: convert to one type, with toString, toInt or toFloat`,
    );
  }, 'null');
  return expressions.map((expression, index) => taken(expression, index, type, { name, values }));
}

/** A property is a number where it meets one. */
export function numeric(argument: Expression, index: number, { name, values }: Context): Expression {
  const isInteger = ['integer', 'boolean', 'null'].includes(argument.type);
  const converted = coerced(argument, isInteger ? 'integer' : 'float', values);
  if (converted) return converted;
  throw new QueryMeaningless(
    `Argument ${index + 1} of ${name}(...) must be a number, not ${described(argument)}`,
  );
}

export const described = ({ type, value }: Expression): string =>
  type === 'text' && typeof value === 'string' ? `'${value.slice(0, 60)}'` : type;

export const of = (type: Type, sql: Sql): Expression => ({ type, sql });
