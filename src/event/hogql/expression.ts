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

/** In pieces of SQL, all columns together: what names repeat is limited by this. */
const LARGEST = 20_000;
/** In PostgreSQL each takes a plan of its own. */
const MOST_VALUES = 1_000;

/** SQL around other SQL. What is interpolated as a string is SQL of ours: a text of the query is added to `Values`. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Expression | Sql | SqlPart)[]): Sql {
  const pieces: SqlPart[] = [texts[0] ?? ''];
  parts.forEach((part, index) => {
    const inner = typeof part === 'object' && 'sql' in part ? part.sql : part;
    pieces.push(...(Array.isArray(inner) ? (inner as Sql) : [inner as SqlPart]), texts[index + 1] ?? '');
    ensureSize(pieces.length);
  });
  return pieces;
}

/** @throws QueryMeaningless */
export function ensureSize(pieces: number): void {
  if (pieces > LARGEST) throw new QueryMeaningless('It is too large');
}

/** Expressions between commas. */
export const listed = (expressions: readonly Expression[]): Sql =>
  expressions.flatMap(({ sql: inner }, index) => (index === 0 ? inner : [', ', ...inner]));

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

  /** Only those that the SQL refers to, and the SQL with their new numbers: some became part of something else. */
  compacted(given: readonly Sql[]): { readonly values: readonly QueryValue[]; readonly sql: readonly Sql[] } {
    const used = new Map<number, number>();
    const renumbered = (part: SqlPart): SqlPart => {
      if (typeof part === 'string' || !('value' in part)) return part;
      if (!used.has(part.value)) used.set(part.value, used.size);
      return { value: used.get(part.value) ?? 0 };
    };
    const sql = given.map((pieces) => pieces.map(renumbered));
    return { sql, values: [...used.keys()].flatMap((number) => this.values[number] ?? []) };
  }
}
