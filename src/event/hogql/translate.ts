import { COLUMNS, type ColumnName, type Sql } from './compiled-query';
import { type Expression, sql, type Type, type Values } from './expression';
import { FUNCTION_NAMES, functionNamed } from './functions';
import type { HogqlFunction } from './functions/definition';
import type { Call, Constant, Field, Node, Property } from './node';
import { unresolved } from './normalise-expression';
import { QueryMeaningless, shown } from './query-errors';

/** Turns the expressions of one query into PostgreSQL's, in the order in which they are written. */
export class Translator {
  /** What each expression turned out to be. */
  readonly types = new Map<Node, Type>();
  /** The fields that are no columns but names that the query gave. */
  readonly references = new Set<Node>();
  private readonly named = new Map<string, Expression>();

  constructor(private readonly values: Values) {}

  /** Expressions after this one may use the name. As in HogQL it hides the column of that name. */
  name(alias: string, expression: Expression): void {
    this.named.set(alias, expression);
  }

  /** @throws QueryMeaningless for unknown columns and functions, and for types that do not go together */
  translate(node: Node): Expression {
    const expression = this.expressionOf(node);
    this.types.set(node, expression.type);
    return expression;
  }

  private expressionOf(node: Node): Expression {
    switch (node.kind) {
      case 'constant':
        return this.constant(node);
      case 'field':
        return this.field(node);
      case 'property':
        return this.property(node);
      case 'call':
        return this.call(node);
      case 'list':
        throw new QueryMeaningless('A list can only stand on the right side of IN');
    }
  }

  private constant({ value }: Constant): Expression {
    if (typeof value === 'string') return { type: 'text', sql: this.values.add('text', value), value };
    if (typeof value === 'bigint')
      return { type: 'integer', sql: this.values.add('bigint', `${value}`), value };
    if (typeof value === 'number')
      return { type: 'float', sql: this.values.add('double precision', `${value}`), value };
    return value === null
      ? { type: 'null', sql: ['NULL'], value }
      : { type: 'boolean', sql: [`${value}`], value };
  }

  private field(field: Field): Expression {
    const { table, name } = field;
    const named = table === null ? this.named.get(name) : undefined;
    if (named) {
      this.references.add(field);
      return named;
    }
    if (!isColumn(name)) throw unresolved(table === null ? [name] : [table, name]);
    return { type: COLUMNS[name], sql: [{ column: name }] };
  }

  private property({ table, path }: Property): Expression {
    if (table === null && this.named.has('properties'))
      throw new QueryMeaningless('properties is the name of another column: write events.properties');
    const into = (found: Sql, step: string | number): Sql =>
      typeof step === 'number'
        ? sql`hogql_element(${found}, ${this.values.add('bigint', `${step}`)})`
        : sql`(${found} -> ${this.values.add('text', step)})`;
    const around = path.slice(0, -1).reduce(into, [{ column: 'properties' }]);
    const last = path.at(-1) ?? '';
    const json = into(around, last);
    const text =
      typeof last === 'number'
        ? sql`(${json} #>> '{}')`
        : sql`(${around} ->> ${this.values.add('text', last)})`;
    return { type: 'text', sql: text, json };
  }

  private call({ name, args }: Call): Expression {
    const called = functionNamed(name);
    if (!called)
      throw new QueryMeaningless(`Unsupported function call '${shown(name)}(...)'${suggestion(name)}`);
    const given = (name === 'in' || name === 'notIn' ? args.flatMap(itemsOf) : args).map((it) =>
      this.translate(it),
    );
    if (given.length < called.least || given.length > called.most)
      throw miscounted(name, called, given.length);
    return called.translate(given, { name, values: this.values });
  }
}

const isColumn = (name: string): name is ColumnName => Object.hasOwn(COLUMNS, name);

const itemsOf = (node: Node): readonly Node[] => (node.kind === 'list' ? node.items : [node]);

function miscounted(name: string, { least, most }: HogqlFunction, found: number): QueryMeaningless {
  const expected = least === most ? `${least}` : found < least ? `at least ${least}` : `at most ${most}`;
  return new QueryMeaningless(
    `${name}(...) expects ${expected} argument${expected === '1' ? '' : 's'}, found ${found}`,
  );
}

/** A function that there is and that has nearly the same name. */
function suggestion(name: string): string {
  const near = FUNCTION_NAMES.map((known) => ({ known, distance: distanceBetween(known, name.slice(0, 60)) }))
    .filter(({ known, distance }) => distance <= Math.max(known.length, name.length) / 3)
    .sort((one, other) => one.distance - other.distance);
  return near[0] ? `. Perhaps you meant '${near[0].known}(...)'?` : '';
}

/** How many letters have to be added, removed or replaced; none for those of another case. */
function distanceBetween(one: string, other: string): number {
  const [from, to] = [one.toLowerCase(), other.toLowerCase()];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [at, candidate] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + (letter === candidate ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
