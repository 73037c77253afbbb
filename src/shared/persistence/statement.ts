/**
 * A named SQL statement: PostgreSQL parses and plans it once a connection. Names are `context.use`, unique;
 * values are always parameters.
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

/**
 * A statement that answers one page and the size of the whole list. `order` must be total (end with the id), so
 * that following `next` visits every row once (D5). Limit and offset become the last two parameters.
 */
export function pageStatement(
  name: string,
  { columns, from, where, order }: Source & { readonly order: string },
): Statement<{ count: number; results: string }> {
  const used = [...`${columns} ${from} ${where}`.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const last = Math.max(0, ...used);
  return new Statement(
    name,
    `SELECT (SELECT count(*)::int FROM ${from} WHERE ${where}) AS count,
            (SELECT '[' || coalesce(string_agg(row_to_json(resource)::text, ','), '') || ']'
               FROM (SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${order}
                     LIMIT $${last + 1} OFFSET $${last + 2}) AS resource) AS results`,
  );
}
