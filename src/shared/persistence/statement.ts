/**
 * A named SQL statement: PostgreSQL parses and plans it once a connection. Names are `context.use`, unique;
 * values are always parameters. One that is not `prepared` is planned anew for the values of each use: where most of
 * its conditions are optional, a plan for all of them would be a bad one for each. `test/plans` checks the plans of
 * all that there are.
 */
export class Statement<Row> {
  declare protected readonly row: Row;

  constructor(
    readonly name: string,
    readonly text: string,
    readonly prepared = true,
  ) {}
}

interface Source {
  /** Select list whose names are the fields of the response, in their order. */
  readonly columns: string;
  /** What stands between FROM and WHERE. */
  readonly from: string;
  readonly where: string;
}

/** A statement that answers one resource as JSON text. */
export function resourceStatement(
  name: string,
  { columns, from, where }: Source,
): Statement<{ json: string }> {
  return new Statement(
    name,
    `SELECT row_to_json(resource)::text AS json FROM (SELECT ${columns} FROM ${from} WHERE ${where}) AS resource`,
  );
}

export interface PageRow {
  /** The size of the whole list. */
  readonly count: number;
  /** How many rows `results` holds. */
  readonly shown: number;
  readonly results: string;
}

/** In bytes: more than any page needs, less than would keep the server busy. */
const LARGEST_PAGE = 8 * 1024 * 1024;

/** SQL for JSON texts, in their order, out of `rows` in the response shape. */
const jsonOf = (rows: string): string =>
  `SELECT row_to_json(resource)::text AS json FROM (${rows}) AS resource`;

/**
 * SQL for the first of the texts, as many as have no more bytes than a page, though one at least. The OFFSET has each
 * made once, to be measured and shown.
 */
const cut = (texts: string): string => `
  SELECT json FROM (SELECT json, sum(octet_length(json)) OVER (ROWS UNBOUNDED PRECEDING) AS size
                      FROM (${texts} OFFSET 0) AS texts) AS sized
   WHERE size <= ${LARGEST_PAGE} OR size = octet_length(json)`;

const highestParameter = (sql: string): number =>
  Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));

interface List extends Source {
  readonly order: string;
  /** What is joined to the rows of the page alone, once `from` and `where` have found them; see `pageStatement`. */
  readonly join?: string;
  /** SQL for the size of the list, where there is a faster way than to count it. */
  readonly count?: string;
  readonly whole?: boolean;
  /** See `Statement`. */
  readonly prepared?: boolean;
}

/**
 * A statement that answers one page and the size of the whole list. `order` must be total (end with the id), so
 * that following `next` visits every row once (D5). Limit and offset become the last two parameters.
 *
 * Of a `from` that is one table with its alias, as lists should be, the rows of the page are found first, along the
 * index of the list: columns are computed, and `join` is joined, for them and not for those that `offset` skips.
 *
 * Texts come in the order of their rows, as PostgreSQL says of aggregates over a sorted subquery that is not joined.
 *
 * A page of more than 8 MiB ends before its limit, though never before its first row: a thousand rows of the size
 * that a request body may have are more than a process can hold. Pages that are counted by number cannot be cut;
 * they say `whole`, and have rows and limits that are small.
 */
export function pageStatement(
  name: string,
  { columns, from, where, order, join = '', count, whole = false, prepared = true }: List,
): Statement<PageRow> {
  const last = highestParameter(`${columns} ${from} ${join} ${where} ${count ?? ''}`);
  const window = `LIMIT $${last + 1} OFFSET $${last + 2}`;
  const [, alias] = /^\w+ (\w+)$/.exec(from) ?? [];
  if (alias === undefined && join !== '') throw new Error(`${name} joins to more than one table`);
  const page =
    alias === undefined
      ? `SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${order} ${window}`
      : `SELECT ${columns} FROM (SELECT ${alias}.* FROM ${from} WHERE ${where} ORDER BY ${order} ${window})
           AS ${alias} ${join} ORDER BY ${order}`;
  return new Statement(
    name,
    `SELECT (${count ?? `SELECT count(*)::int FROM ${from} WHERE ${where}`}) AS count, count(*)::int AS shown,
            '[' || coalesce(string_agg(json, ','), '') || ']' AS results
       FROM (${whole ? jsonOf(page) : cut(jsonOf(page))}) AS shown`,
    prepared,
  );
}
