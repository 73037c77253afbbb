import type { Asterisk, Query, Selected } from './node';
import { normaliseExpression, type Scope } from './normalise-expression';
import { QueryInvalid, QueryUnsupported, shown } from './query-errors';
import { isNode, type SyntaxFailure, type SyntaxNode } from './syntax-tree';

/** Clauses of SELECT that make more of a query than rows and columns of events, as they are named in an error. */
const CLAUSES: Readonly<Record<string, string>> = {
  ctes: 'WITH is',
  distinct: 'DISTINCT is',
  array_join_op: 'ARRAY JOIN is',
  prewhere: 'PREWHERE is',
  group_by: 'GROUP BY is',
  group_by_mode: 'GROUP BY is',
  having: 'HAVING is',
  qualify: 'QUALIFY is',
  window_exprs: 'WINDOW is',
  order_by: 'ORDER BY is',
  limit_by: 'LIMIT BY is',
  limit: 'LIMIT is',
  offset: 'OFFSET is',
  settings: 'SETTINGS are',
};

/** All that a supported SELECT has; what a later parser may add is refused as well. */
const KNOWN = new Set(['node', 'select', 'select_from', 'where', 'array_join_list', ...Object.keys(CLAUSES)]);

/** @throws QueryInvalid for what is no SELECT of rows and columns of `events` (BE-25) */
export function normalise(tree: SyntaxNode | SyntaxFailure): Query {
  if ('error' in tree) {
    // It says `Unsupported rule: ColumnExprDate`.
    if (tree.type === 'NotImplementedError')
      throw new QueryUnsupported(`${shown(String(tree.message).replace(/^[^:]*: /, ''))} is`);
    throw new QueryInvalid('Failed to parse query');
  }
  if (tree.node === 'SelectSetQuery') throw new QueryInvalid('UNIONs are not supported');
  if (tree.node !== 'SelectQuery') throw new QueryUnsupported('What is no SELECT is');
  const scope: Scope = { tableAlias: tableOf(tree.select_from) };
  for (const [clause, value] of Object.entries(tree)) {
    const isThere = value !== null && value !== undefined && value !== false;
    if (isThere && Object.hasOwn(CLAUSES, clause)) throw new QueryUnsupported(CLAUSES[clause] ?? clause);
    if (isThere && !KNOWN.has(clause)) throw new QueryUnsupported(`${clause} is`);
  }
  const selected = Array.isArray(tree.select) ? tree.select : [];
  return {
    selected: selected.map((item) => selectedOf(item, scope)),
    tableAlias: scope.tableAlias,
    where: isNode(tree.where) ? normaliseExpression(tree.where, scope) : null,
  };
}

/** The alias of `events`, if it has one. */
function tableOf(from: unknown): string | null {
  if (!isNode(from)) throw new QueryInvalid('Query must SELECT FROM events');
  const { table, alias } = from;
  if (!isNode(table) || table.node !== 'Field' || String(table.chain) !== 'events' || from.table_args)
    throw new QueryInvalid('Query must only SELECT FROM events');
  if (from.next_join) throw new QueryInvalid('JOINs are not supported');
  if (from.table_final) throw new QueryUnsupported('FINAL is');
  if (from.sample) throw new QueryUnsupported('SAMPLE is');
  if (from.column_aliases) throw new QueryUnsupported('Naming the columns of a table is');
  return typeof alias === 'string' ? alias : null;
}

function selectedOf(item: unknown, scope: Scope): Selected {
  if (isNode(item) && item.node === 'Alias' && typeof item.alias === 'string')
    return { node: normaliseExpression(item.expr, scope), alias: item.alias };
  return { node: asteriskOf(item, scope) ?? normaliseExpression(item, scope), alias: null };
}

function asteriskOf(item: unknown, { tableAlias }: Scope): Asterisk | null {
  if (!isNode(item) || item.node !== 'Field' || !Array.isArray(item.chain)) return null;
  const [first, second, ...more] = item.chain as string[];
  if (first === '*' && second === undefined) return { kind: 'asterisk', table: null };
  const isOfTable = first === (tableAlias ?? 'events') && second === '*' && more.length === 0;
  return isOfTable ? { kind: 'asterisk', table: first } : null;
}
