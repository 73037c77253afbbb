/** A node of what `EXPLAIN (FORMAT JSON)` answers. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Parent Relationship'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Sort Key'?: readonly string[];
  readonly 'Plan Rows': number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows tables and indexes have, by name. */
export type Sizes = ReadonlyMap<string, number>;

/** What has fewer rows may be read as a whole. */
export const LARGE = 2_000;
/** The rows of a page, and then some: more are not to be gone through for one answer. */
const MANY = 1_000;

/** Nodes that hand on the rows of their first child as they come. */
const PASSING = ['Limit', 'LockRows', 'Nested Loop', 'Subquery Scan', 'Result', 'Append', 'Merge Append'];

/**
 * What a plan does that takes longer the more rows there are: it reads a whole table or index, goes through the rows
 * of a whole tenant, or sorts them to show the first of them.
 * @param few so many rows may be sorted nevertheless
 */
export function findings(root: PlanNode, sizes: Sizes, few: number): string[] {
  const found = new Set<string>();
  visit(root, false, { sizes, few, found });
  return [...found];
}

interface Visit {
  readonly sizes: Sizes;
  readonly few: number;
  readonly found: Set<string>;
}

/** @param stops whether a LIMIT is above, with nothing in between that needs all rows first */
function visit(node: PlanNode, stops: boolean, context: Visit): void {
  const { sizes, few, found } = context;
  const type = node['Node Type'];
  const table = node['Relation Name'] ?? '';
  const index = node['Index Name'] ?? '';
  const isLarge = (name: string) => (sizes.get(name) ?? 0) >= LARGE;
  if (type === 'Seq Scan' && isLarge(table)) found.add(`reads all of ${table}`);
  else if (isLarge(index) && node['Index Cond'] === undefined && !stops) found.add(`walks all of ${index}`);
  else if (table !== '' && node['Plan Rows'] > MANY && !stops) found.add(`goes through many of ${table}`);
  if (type.endsWith('Sort') && node['Plan Rows'] > few && !isBounded(node, sizes)) {
    // PostgreSQL numbers the aliases that occur twice.
    const key = (node['Sort Key'] ?? []).join(', ').replace(/\b([a-z]+)_\d+\./g, '$1.');
    if (stops) found.add(`sorts to find the first by ${key}`);
    else if (node['Plan Rows'] > MANY) found.add(`sorts many by ${key}`);
  }
  for (const [place, child] of (node.Plans ?? []).entries()) {
    const isFirst = place === 0 && !['SubPlan', 'InitPlan'].includes(child['Parent Relationship'] ?? '');
    visit(child, isFirst && (type === 'Limit' || (stops && PASSING.includes(type))), context);
  }
}

/** Whether what is sorted comes from something small: another page, or an index that holds little. */
function isBounded(node: PlanNode, sizes: Sizes): boolean {
  const source = node.Plans?.find(({ 'Parent Relationship': as }) => as === 'Outer' || as === 'Subquery');
  if (!source) {
    const name = node['Index Name'] ?? node['Relation Name'];
    return name !== undefined && (sizes.get(name) ?? LARGE) < LARGE;
  }
  return source['Node Type'] === 'Limit' || isBounded(source, sizes);
}
