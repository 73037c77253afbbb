import { describeFunctions } from '../../event/index';

/** The language of `hogql_query` in short (BE-24, BE-25). */
export const describeQuery = (): string =>
  [
    'A HogQL query whose columns are exported in place of the fields of the model, which must be `events`; null takes ' +
      'it away. It is not answered: `schema` shows what it compiles to.',
    '`SELECT <columns> FROM events [WHERE <condition>]`, and nothing else: no JOIN, UNION, subquery, GROUP BY, ORDER ' +
      'BY or LIMIT. Columns are `uuid`, `event`, `properties`, `distinct_id`, `team_id`, `timestamp`, `created_at`, ' +
      '`person_id`, `elements_chain`, `*` for all of them, `properties.name` and what lies deeper ' +
      '(`properties.list[1].name`), and what the functions below make of them. `AS` names a column, and what follows ' +
      'may use the name. Operators: `+ - * / %`, `= != < <= > >=`, `AND OR NOT`, `[NOT] IN`, `[NOT] LIKE`, ' +
      '`[NOT] ILIKE`, `[NOT] BETWEEN`, `IS [NOT] NULL`, `=~ !~ =~* !~*`, `||`, `??`, `? :`, `CASE`.',
    'No event makes a query fail: what cannot be converted or computed, a division by zero among it, is null. A ' +
      'property is text, and a number, a boolean or a time where it meets one. Comparisons are never null: what is ' +
      'missing equals nothing but what is missing, and is neither in a list nor outside of one. Times are in UTC, weeks begin on Sundays. Texts are measured in characters, and one that a ' +
      'function makes longer than 4 MiB is null. Dates are exported as text. The pattern of LIKE and of a regular ' +
      'expression (RE2, without lookaround, flags inside and Unicode classes) is a string of the query.',
    `Functions:\n\n${describeFunctions()}`,
  ].join('\n\n');
