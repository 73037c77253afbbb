import type { Sql } from '../compiled-query';
import { type Expression, sql, type Type } from '../expression';
import { QueryMeaningless } from '../query-errors';
import { type Context, custom, type FunctionGroup, MOST_ARGUMENTS, of, taken } from './definition';

/**
 * What a path leads to in JSON. As in ClickHouse the result is never null: what is missing, or is something else, is
 * an empty text, 0 or false.
 */
const extract = (type: Type, body: (found: Sql) => Sql) =>
  custom('json|text, text|integer...', [1, MOST_ARGUMENTS], (context, json, ...path) =>
    of(type, body(steps(documentOf(json, context), path, context))),
  );

export const FUNCTIONS_OF_JSON: FunctionGroup = {
  JSONExtractString: extract('text', (found) => sql`coalesce((${found}) #>> '{}', '')`),
  JSONExtractInt: extract('integer', (found) => sql`hogql_json_int(${found})`),
  JSONExtractFloat: extract('float', (found) => sql`hogql_json_float(${found})`),
  JSONExtractBool: extract('boolean', (found) => sql`coalesce((${found}) = 'true'::jsonb, false)`),
  JSONExtractRaw: extract('text', (found) => sql`coalesce((${found})::text, '')`),
  JSONHas: custom('json|text, text|integer...', [2, MOST_ARGUMENTS], (context, json, ...path) =>
    of('boolean', sql`((${steps(documentOf(json, context), path, context)}) IS NOT NULL)`),
  ),
  JSONLength: extract('integer', (found) => sql`hogql_json_length(${found})`),
};

/** JSON, or a text that holds some; a property may be either. */
function documentOf(json: Expression, context: Context): Sql {
  if (json.type === 'json' || json.type === 'array') return json.sql;
  if (json.json) return sql`hogql_json(${json.json})`;
  if (json.type !== 'text' && json.type !== 'null')
    throw new QueryMeaningless(`Argument 1 of ${context.name}(...) must be json or text, not ${json.type}`);
  return sql`hogql_json(${taken(json, 0, 'text', context)})`;
}

/** Keys of objects, and places in arrays, counted from 1, or from -1 backwards. */
const steps = (json: Sql, path: readonly Expression[], context: Context): Sql =>
  path.reduce<Sql>(
    (found, step, index) =>
      step.type === 'integer'
        ? sql`hogql_element(${found}, ${step})`
        : sql`((${found}) -> ${taken(step, index + 1, 'text', context)})`,
    json,
  );
