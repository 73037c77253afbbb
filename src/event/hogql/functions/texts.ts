import { type Expression, listed, sql } from '../expression';
import { QueryMeaningless } from '../query-errors';
import { TEXTS } from './conversions';
import { custom, type FunctionGroup, type HogqlFunction, MOST_ARGUMENTS, of, typed } from './definition';

/** In characters, where ClickHouse counts bytes. */
const length: HogqlFunction = custom('text|array', [1, 1], (context, it) =>
  it.type === 'array'
    ? of('integer', sql`jsonb_array_length(${it})::bigint`)
    : typed(['text'], 'integer', (text) => sql`length(${text})::bigint`).translate([it], context),
);
const substring = typed(
  ['text', 'integer', 'integer?'],
  'text',
  (text, from, count) => sql`hogql_substring(${text}, ${from}, ${count ?? 'NULL'})`,
);
const position = typed(['text', 'text'], 'integer', (text, part) => sql`strpos(${text}, ${part})::bigint`);
const replaceAll = typed(
  ['text', 'text', 'text'],
  'text',
  (text, from, to) => sql`hogql_replace(${text}, ${from}, ${to})`,
);
/** Of ASCII letters alone, as in ClickHouse. */
const lower = (text: Expression) => sql`lower((${text}) COLLATE "C")`;

export const FUNCTIONS_OF_TEXT: FunctionGroup = {
  lower: typed(['text'], 'text', lower),
  upper: typed(['text'], 'text', (text) => sql`upper((${text}) COLLATE "C")`),
  trim: typed(['text'], 'text', (text) => sql`btrim(${text})`),
  trimLeft: typed(['text'], 'text', (text) => sql`ltrim(${text})`),
  trimRight: typed(['text'], 'text', (text) => sql`rtrim(${text})`),
  reverse: typed(['text'], 'text', (text) => sql`reverse(${text})`),
  concat: custom(
    'any...',
    [1, MOST_ARGUMENTS],
    (_, ...all) => of('text', sql`hogql_concat(${listed(all.map(asText))})`),
    (args) => `concat(${args.map((it) => `ifNull(toString(${it}), '')`).join(', ')})`,
  ),
  length,
  lengthUTF8: length,
  empty: typed(['text'], 'boolean', (text) => sql`((${text}) = '')`),
  notEmpty: typed(['text'], 'boolean', (text) => sql`((${text}) <> '')`),
  substring,
  substringUTF8: substring,
  left: typed(['text', 'integer'], 'text', (text, count) => sql`"left"(${text}, hogql_clamp(${count}))`),
  right: typed(['text', 'integer'], 'text', (text, count) => sql`"right"(${text}, hogql_clamp(${count}))`),
  position,
  positionUTF8: position,
  positionCaseInsensitive: typed(
    ['text', 'text'],
    'integer',
    (text, part) => sql`strpos(${lower(text)}, ${lower(part)})::bigint`,
  ),
  startsWith: typed(['text', 'text'], 'boolean', (text, start) => sql`starts_with(${text}, ${start})`),
  endsWith: typed(
    ['text', 'text'],
    'boolean',
    (text, end) => sql`("right"(${text}, length(${end})) = ${end})`,
  ),
  replaceAll,
  replace: replaceAll,
  replaceOne: typed(
    ['text', 'text', 'text'],
    'text',
    (text, from, to) => sql`hogql_replace_one(${text}, ${from}, ${to})`,
  ),
};

function asText(it: Expression): Expression {
  if (it.type === 'null') return of('text', [`NULL::text`]);
  const convert = TEXTS[it.type];
  if (!convert) throw new QueryMeaningless(`concat(...) cannot take ${it.type}`);
  return of('text', convert(it));
}

const split = typed(['text', 'text'], 'array', (separator, text) => sql`hogql_split(${text}, ${separator})`);

export const FUNCTIONS_OF_ARRAYS: FunctionGroup = {
  splitByChar: split,
  splitByString: split,
  arrayElement: typed(
    ['array', 'integer'],
    'text',
    (array, place) => sql`coalesce(hogql_element(${array}, ${place}) #>> '{}', '')`,
  ),
  arrayStringConcat: typed(
    ['array', 'text?'],
    'text',
    (array, separator) => sql`hogql_join(${array}, ${separator ?? `''`})`,
  ),
  has: typed(['array', 'text'], 'boolean', (array, element) => sql`jsonb_exists(${array}, ${element})`),
};
