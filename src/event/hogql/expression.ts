import type { FieldType } from '../domain/event-store';
import type { QueryValue, Sql, SqlPart } from './compiled-query';
import type { Value } from './node';
import { QueryMeaningless } from './query-errors';

/** What expressions may be besides what fields may: these take no part in what is exported as they are. */
export type Type = FieldType | 'date' | 'array' | 'interval' | 'null';

/** An expression as SQL that has the PostgreSQL type of its type, and that fails on no row. */
export interface Expression {
  readonly type: Type;
  readonly sql: Sql;
  /** What it is where the author wrote a value. */
  readonly value?: Value;
  /** Of a property: it as jsonb. Such an expression is text, and is read as a number or a date where one is needed. */
  readonly json?: Sql;
  /** Of a timestamp: it has no fraction of a second. */
  readonly wholeSeconds?: boolean;
  /** Of an interval: what it counts. */
  readonly unit?: string;
}

/** In pieces of SQL, all columns together: what some functions repeat of their arguments is limited by this. */
const LARGEST = 20_000;
/** In PostgreSQL each takes a plan of its own. */
const MOST_VALUES = 1_000;

/** SQL around other SQL. What is interpolated as a string is SQL of ours: a text of the query is added to `Values`. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Expression | Sql | SqlPart)[]): Sql {
  const inner = parts.map((part) => {
    const it = typeof part === 'object' && 'sql' in part ? part.sql : part;
    return Array.isArray(it) ? (it as Sql) : [it as SqlPart];
  });
  ensureSize(inner.reduce((sum, { length }) => sum + length, 2 * parts.length));
  return inner.reduce<SqlPart[]>(
    (pieces, it, index) => pieces.concat(it, texts[index + 1] ?? ''),
    [texts[0] ?? ''],
  );
}

/** @throws QueryMeaningless */
export function ensureSize(pieces: number): void {
  if (pieces > LARGEST) throw new QueryMeaningless('It is too large');
}

/** Expressions between commas, or between something else. @throws QueryMeaningless */
export function listed(expressions: readonly Expression[], separator = ', '): Sql {
  ensureSize(expressions.reduce((sum, { sql: inner }) => sum + inner.length, 0));
  return expressions.flatMap(({ sql: inner }, index) => (index === 0 ? inner : [separator, ...inner]));
}

/** The values of a query, each once. */
export class Values {
  private readonly numbers = new Map<string, number>();
  private readonly values: QueryValue[] = [];

  add(type: QueryValue['type'], text: string): Sql {
    const key = `${type} ${text}`;
    const number = this.numbers.get(key) ?? this.values.push({ type, text }) - 1;
    if (number >= MOST_VALUES) throw new QueryMeaningless(`It has more than ${MOST_VALUES} values`);
    this.numbers.set(key, number);
    return [{ value: number }];
  }

  /** Only those that the SQL refers to, some became part of something else; and what gives SQL their new numbers. */
  compacted(given: readonly Sql[]): {
    readonly values: readonly QueryValue[];
    readonly renumbered: (sql: Sql) => Sql;
  } {
    const used = new Map<number, number>();
    for (const part of given.flat()) {
      if (typeof part === 'object' && 'value' in part && !used.has(part.value))
        used.set(part.value, used.size);
    }
    const renumbered = (part: SqlPart): SqlPart =>
      typeof part === 'object' && 'value' in part ? { value: used.get(part.value) ?? 0 } : part;
    return {
      values: [...used.keys()].flatMap((number) => this.values[number] ?? []),
      renumbered: (sql) => sql.map(renumbered),
    };
  }
}
