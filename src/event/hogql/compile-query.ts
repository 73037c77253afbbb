import { coerced } from './coercion';
import { COLUMNS, type CompiledQuery, type QueryColumn } from './compiled-query';
import { type Expression, ensureSize, sql, Values } from './expression';
import { described } from './functions/definition';
import type { Node, Query, Selected } from './node';
import { normalise } from './normalise';
import { ParserThread } from './parser-thread';
import { ClickhousePrinter } from './print-clickhouse';
import { printQuery } from './print-hogql';
import { QueryMeaningless, shown } from './query-errors';
import { readTree } from './syntax-tree';
import { Translator } from './translate';

const parser = new ParserThread();

/** In milliseconds, of a query that somebody gives; one that takes longer is nested so deeply that it takes hours. */
const PATIENCE = 5_000;
/** Of one that has been accepted: however busy the machine is now, it is no worse than it was. */
const PATIENCE_WITH_KNOWN = 120_000;
/** How many queries are kept compiled. */
const MOST_KNOWN = 50;

/** In characters. */
const LONGEST_QUERY = 10_000;
const MOST_COLUMNS = 200;
/** In bytes: PostgreSQL cuts what is longer, and other destinations take no more either. */
const LONGEST_NAME = 63;

const known = new Map<string, CompiledQuery>();

/**
 * Reads and checks a HogQL query over `events`, and translates it.
 * @throws Invalid on `hogql_query`, telling what is wrong with it (BE-25)
 */
export const compileQuery = (text: string): Promise<CompiledQuery> => compileWithin(PATIENCE, text);

/** The same of a query that `compileQuery` has accepted, however long ago. @throws Invalid as that */
export const recompileQuery = (text: string): Promise<CompiledQuery> =>
  compileWithin(PATIENCE_WITH_KNOWN, text);

async function compileWithin(patience: number, text: string): Promise<CompiledQuery> {
  if (text.length > LONGEST_QUERY)
    throw new QueryMeaningless(`It is longer than ${LONGEST_QUERY} characters`);
  const compiled = known.get(text) ?? translateQuery(normalise(readTree(await parser.parse(text, patience))));
  known.delete(text);
  known.set(text, compiled);
  for (const oldest of known.keys()) if (known.size > MOST_KNOWN) known.delete(oldest);
  return compiled;
}

/** @throws QueryMeaningless for what `events` does not have, and for what makes no sense */
export function translateQuery(query: Query): CompiledQuery {
  const values = new Values();
  const translator = new Translator(values);
  const printer = new ClickhousePrinter(translator);
  const columns: QueryColumn[] = [];
  let size = 0;
  const fields: { expression: string; alias: string }[] = [];
  for (const { node, alias } of query.selected.flatMap(expanded)) {
    const expression = translator.translate(node);
    size += expression.sql.length;
    ensureSize(size);
    const printed = printer.print(node);
    const name = checkedName(alias ?? nameOf(node) ?? printed, columns);
    columns.push({ name, ...columnOf(expression) });
    fields.push({ expression: printed, alias: name });
    if (alias !== null) translator.name(alias, expression);
  }
  const condition = query.where && translator.translate(query.where);
  const where = condition && coerced(condition, 'boolean', values)?.sql;
  if (condition && !where) throw new QueryMeaningless(`WHERE must be boolean, not ${described(condition)}`);
  const compacted = values.compacted([...columns.map((column) => column.sql), ...(where ? [where] : [])]);
  return {
    schema: { fields, values: printer.values, hogql_query: printQuery(query) },
    columns: columns.map((column, index) => ({ ...column, sql: compacted.sql[index] ?? column.sql })),
    where: where ? (compacted.sql.at(-1) ?? where) : null,
    values: compacted.values,
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
