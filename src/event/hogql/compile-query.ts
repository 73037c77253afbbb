import { coerced } from './coercion';
import { COLUMNS, type CompiledQuery, type QueryColumn, type Sql } from './compiled-query';
import { type Expression, sql, Values } from './expression';
import { described } from './functions/definition';
import type { Node, Query, Selected } from './node';
import { normalise } from './normalise';
import { ClickhousePrinter } from './print-clickhouse';
import { printQuery } from './print-hogql';
import { QueryMeaningless, shown } from './query-errors';
import { type Patience, QueryParser } from './query-parser';
import { Stages } from './stages';
import { readTree } from './syntax-tree';
import { Translator } from './translate';

const parser = new QueryParser();

/** With a query that somebody gives: a hundred columns of calls take a second, and deep nesting takes hours. */
const PATIENCE: Patience = { reading: 5_000, waiting: 15_000 };
/** With one that has been accepted: however busy the machine is now, it is no worse than it was. */
const PATIENCE_WITH_KNOWN: Patience = { reading: 120_000, waiting: null };
/** How many queries are kept compiled. */
const MOST_KNOWN = 50;

/** In characters. */
const LONGEST_QUERY = 10_000;
/** Brackets within one another: what takes the parser longest. */
const DEEPEST = 50;
const MOST_COLUMNS = 200;
/** In bytes: PostgreSQL cuts what is longer, and other destinations take no more either. */
const LONGEST_NAME = 63;

const known = new Map<string, CompiledQuery>();

/**
 * Reads and checks a HogQL query over `events`, and translates it.
 * @param owner whose it is: of each of them one query is read at a time
 * @throws Invalid on `hogql_query`, telling what is wrong with it (BE-25)
 * @throws TooManyQueries when others keep it waiting for too long
 */
export async function compileQuery(text: string, owner: string): Promise<CompiledQuery> {
  if (text.length > LONGEST_QUERY)
    throw new QueryMeaningless(`It is longer than ${LONGEST_QUERY} characters`);
  if (depthOf(text) > DEEPEST) throw new QueryMeaningless('It is nested too deeply');
  return compileWithin(PATIENCE, text, owner);
}

/** The same of a query that `compileQuery` has accepted, however long ago. @throws Invalid as that */
export const recompileQuery = (text: string): Promise<CompiledQuery> =>
  compileWithin(PATIENCE_WITH_KNOWN, text, text);

async function compileWithin(patience: Patience, text: string, owner: string): Promise<CompiledQuery> {
  const compiled = known.get(text) ?? compiledOf(await parser.parse(text, owner, patience));
  known.delete(text);
  known.set(text, compiled);
  for (const oldest of known.keys()) if (known.size > MOST_KNOWN) known.delete(oldest);
  return compiled;
}

function compiledOf(tree: string): CompiledQuery {
  try {
    return translateQuery(normalise(readTree(tree)));
  } catch (error) {
    if (error instanceof RangeError) throw new QueryMeaningless('It is nested too deeply');
    throw error;
  }
}

/** How many brackets are open at once, outside of texts. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const [token] of text.matchAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|[([{)\]}]/gs)) {
    if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** @throws QueryMeaningless for what `events` does not have, and for what makes no sense */
export function translateQuery(query: Query): CompiledQuery {
  const values = new Values();
  const translator = new Translator(values);
  const printer = new ClickhousePrinter(translator);
  const stages = new Stages();
  const columns: QueryColumn[] = [];
  const fields: { expression: string; alias: string }[] = [];
  for (const { node, alias } of query.selected.flatMap(expanded)) {
    const expression = stages.compute(translator.translate(node));
    const printed = printer.print(node);
    const name = checkedName(alias ?? nameOf(node) ?? printed, columns);
    columns.push({ name, ...columnOf(expression) });
    fields.push({ expression: printed, alias: name });
    if (alias !== null) translator.name(alias, expression);
  }
  const condition = query.where && translator.translate(query.where);
  const where = condition && coerced(condition, 'boolean', values)?.sql;
  if (condition && !where) throw new QueryMeaningless(`WHERE must be boolean, not ${described(condition)}`);
  const { values: used, renumbered } = values.compacted([
    ...stages.all.flat().map((computed) => computed.sql),
    ...columns.map((column) => column.sql),
    where ?? [],
  ]);
  const withNumbers = <T extends { readonly sql: Sql }>(it: T): T => ({ ...it, sql: renumbered(it.sql) });
  return {
    schema: { fields, values: printer.values, hogql_query: printQuery(query) },
    stages: stages.all.map((stage) => stage.map(withNumbers)),
    columns: columns.map(withNumbers),
    where: where ? renumbered(where) : null,
    values: used,
  };
}

function expanded({ node, alias }: Selected): { node: Node; alias: string | null }[] {
  if (node.kind !== 'asterisk') return [{ node, alias }];
  const { table } = node;
  return Object.keys(COLUMNS).map((name) => ({ node: { kind: 'field', table, name }, alias: null }));
}

/** What a column is called that has no name of its own (BE-24); null: what it is computed by. */
function nameOf(node: Node): string | null {
  if (node.kind === 'field') return node.name;
  return node.kind === 'property' ? node.path.join('__') : null;
}

function checkedName(name: string, before: readonly QueryColumn[]): string {
  if (name === '') throw new QueryMeaningless('The name of a column is empty');
  if (Buffer.byteLength(name) > LONGEST_NAME)
    throw new QueryMeaningless(
      `The name of a column is longer than ${LONGEST_NAME} bytes: ${shown(name)}. Give it a shorter one, with AS`,
    );
  if (before.some((column) => column.name === name))
    throw new QueryMeaningless(`Two columns are called ${shown(name)}: give them different names, with AS`);
  if (before.length === MOST_COLUMNS) throw new QueryMeaningless(`It has more than ${MOST_COLUMNS} columns`);
  return name;
}

/** Dates are exported as text, arrays as JSON. */
function columnOf({ type, sql: given }: Expression): Pick<QueryColumn, 'type' | 'sql'> {
  switch (type) {
    case 'date':
      return { type: 'text', sql: sql`to_char(${given}, 'YYYY-MM-DD')` };
    case 'array':
      return { type: 'json', sql: given };
    case 'null':
      return { type: 'text', sql: ['NULL::text'] };
    case 'interval':
      throw new QueryMeaningless('An interval can only be added to a time, or taken from one');
    default:
      return { type, sql: given };
  }
}
