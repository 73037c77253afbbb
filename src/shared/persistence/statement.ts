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

/** What is shown of a row. */
type Shape =
  /** Select list whose names are the fields of the response, in their order. */
  | { readonly columns: string; readonly json?: undefined }
  /** SQL for its JSON text, where that is kept. */
  | { readonly json: string; readonly columns?: undefined };

interface Rows {
  /** What stands between FROM and WHERE. */
  readonly from: string;
  readonly where: string;
}

/**
 * SQL for the JSON texts of `rows`: all that follows a select list. The OFFSET has each made once where it is measured
 * as well; what is sorted or limited is.
 */
const jsonOf = ({ columns, json }: Shape, rows: string): string =>
  json === undefined
    ? `SELECT row_to_json(resource)::text AS json FROM (SELECT ${columns} ${rows}) AS resource OFFSET 0`
    : `SELECT ${json} AS json ${rows}`;

/** A statement that answers one resource as JSON text. */
export function resourceStatement(
  name: string,
  { from, where, ...shape }: Shape & Rows,
): Statement<{ json: string }> {
  return new Statement(name, jsonOf(shape, `FROM ${from} WHERE ${where}`));
}

/** A piece of a page; a page without any row has one without results. */
export interface PageRow {
  /** The size of the whole list. */
  readonly count: number;
  /** How many rows `results` holds. */
  readonly shown: number;
  /** Their JSON texts, commas between them. */
  readonly results: string | null;
}

/** In bytes: more than any page needs, less than would keep the server busy. */
const LARGEST_PAGE = 8 * 1024 * 1024;

/** In bytes: a larger text takes longer to grow, to send and to receive than several. */
const PIECE = 32 * 1024;

/** SQL for JSON texts and how many bytes they have up to each, in their order. */
const sized = (texts: string): string => `
  SELECT json, sum(octet_length(json)) OVER (ROWS UNBOUNDED PRECEDING) AS size FROM (${texts}) AS texts`;

const highestParameter = (sql: string): number =>
  Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));

interface List extends Rows {
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
 * A page of more than 8 MiB ends before its limit, though never before its first row: a thousand rows of the size
 * that a request body may have are more than a process can hold. Pages that are counted by number cannot be cut;
 * they say `whole`, and have rows and limits that are small.
 */
export function pageStatement(
  name: string,
  { from, where, order, join = '', count, whole = false, prepared = true, ...shape }: Shape & List,
): Statement<PageRow> {
  const last = highestParameter(`${shape.columns ?? shape.json} ${from} ${join} ${where} ${count ?? ''}`);
  const window = `LIMIT $${last + 1} OFFSET $${last + 2}`;
  const [, alias] = /^\w+ (\w+)$/.exec(from) ?? [];
  if (alias === undefined && join !== '') throw new Error(`${name} joins to more than one table`);
  const page =
    alias === undefined
      ? `FROM ${from} WHERE ${where} ORDER BY ${order} ${window}`
      : `FROM (SELECT ${alias}.* FROM ${from} WHERE ${where} ORDER BY ${order} ${window})
           AS ${alias} ${join} ORDER BY ${order}`;
  return new Statement(
    name,
    `SELECT (${count ?? `SELECT count(*)::int FROM ${from} WHERE ${where}`}) AS count, coalesce(shown, 0) AS shown, results
       FROM (SELECT) AS list
       LEFT JOIN (SELECT size / ${PIECE} AS place, count(*)::int AS shown, string_agg(json, ',' ORDER BY size) AS results
                    FROM (${sized(jsonOf(shape, page))}) AS sized
                   WHERE ${whole ? 'true' : `size <= ${LARGEST_PAGE} OR size = octet_length(json)`}
                   GROUP BY place) AS pieces ON true
      ORDER BY place`,
    prepared,
  );
}
