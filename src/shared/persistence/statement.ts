/**
 * A named SQL statement: PostgreSQL parses and plans it once a connection. Names are `context.use`, unique;
 * values are always parameters. One with an empty name is planned anew for the values of each use: where most of its
 * conditions are optional, a plan for all of them would be a bad one for each.
 */
export class Statement<Row> {
  declare protected readonly row: Row;

  constructor(
    readonly name: string,
    readonly text: string,
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

/**
 * A statement that answers one page and the size of the whole list. `order` must be total (end with the id), so
 * that following `next` visits every row once (D5). Limit and offset become the last two parameters.
 *
 * A page of more than 8 MiB ends before its limit, though never before its first row: a thousand rows of the size
 * that a request body may have are more than a process can hold. Pages that are counted by number cannot be cut;
 * they say `whole`, and have rows and limits that are small.
 */
export function pageStatement(
  name: string,
  {
    columns,
    from,
    where,
    order,
    whole = false,
  }: Source & { readonly order: string; readonly whole?: boolean },
): Statement<PageRow> {
  const used = [...`${columns} ${from} ${where}`.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const last = Math.max(0, ...used);
  return new Statement(
    name,
    `SELECT (SELECT count(*)::int FROM ${from} WHERE ${where}) AS count, count(*)::int AS shown,
            '[' || coalesce(string_agg(json, ',' ORDER BY place), '') || ']' AS results
       FROM (SELECT json, place, sum(octet_length(json)) OVER (ORDER BY place) AS size
               FROM (SELECT row_to_json(resource)::text AS json, row_number() OVER () AS place
                       FROM (SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${order}
                             LIMIT $${last + 1} OFFSET $${last + 2}) AS resource) AS placed) AS sized
      WHERE ${whole ? 'true' : `size <= ${LARGEST_PAGE} OR place = 1`}`,
  );
}
