import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { isEmail, isUUID } from 'class-validator';
import { type Check, Checked, invalid, presence, problem, type Reading, typeName, unstorable } from './check';
import { NO_TIMESTAMP, parseTimestamp } from './timestamp';

/** What every field of a request says of itself. Optional and not nullable unless it says so. */
interface FieldOptions {
  readonly description: string;
  readonly example: unknown;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: unknown;
}

function field(
  name: string,
  options: FieldOptions,
  schema: Partial<ApiPropertyOptions>,
  check: Check,
  reading?: Reading,
): PropertyDecorator {
  const { required = false, nullable = false, description, example } = options;
  return applyDecorators(
    ApiProperty({
      description,
      example,
      required,
      ...(nullable ? { nullable } : {}),
      ...(options.default === undefined ? {} : { default: options.default }),
      ...schema,
    } as ApiPropertyOptions),
    Checked(name, presence({ required, nullable }, check), reading),
  );
}

interface TextOptions extends FieldOptions {
  /** In characters (code points). */
  readonly max: number;
  readonly blank?: boolean;
  /** White space at both ends is dropped before anything is checked. */
  readonly trim?: boolean;
  readonly pattern?: { readonly source: RegExp; readonly detail: string };
  /** What a pattern cannot say of a text that is not empty. */
  readonly check?: { readonly passes: (text: string) => boolean; readonly detail: string };
}

/** The check of a text, for lists and nested values; `Text` for a field. */
export function textCheck(options: Pick<TextOptions, 'max' | 'blank' | 'pattern' | 'check'>): Check {
  return (value) => {
    if (typeof value !== 'string') return invalid('Not a valid string.');
    if (value === '' && !options.blank) return problem('blank', 'This field may not be blank.');
    const bad = unstorable(value);
    if (bad) return bad;
    if (value.length > options.max && [...value].length > options.max) {
      return problem('max_length', `Ensure this field has no more than ${options.max} characters.`);
    }
    if (value === '') return null;
    if (options.pattern && !options.pattern.source.test(value)) return invalid(options.pattern.detail);
    if (options.check && !options.check.passes(value)) return invalid(options.check.detail);
    return null;
  };
}

/** Text. Empty only with `blank`; white space alone counts as empty when `trim` is set. */
export function Text(options: TextOptions): PropertyDecorator {
  return applyDecorators(
    ...(options.trim ? [Transform(({ value }) => (typeof value === 'string' ? value.trim() : value))] : []),
    field(
      'text',
      options,
      {
        type: 'string',
        maxLength: options.max,
        ...(options.blank ? {} : { minLength: 1 }),
        ...(options.pattern ? { pattern: options.pattern.source.source } : {}),
      },
      textCheck(options),
    ),
  );
}

/** An e-mail address of at most 254 characters, in lower case as well, in which some letters become two. */
export function Email(options: FieldOptions): PropertyDecorator {
  const text = textCheck({ max: 254 });
  return field('email', options, { type: 'string', format: 'email', maxLength: 254 }, (value) => {
    const bad = text(value) ?? text(String(value).toLowerCase());
    if (bad) return bad;
    return isEmail(value) ? null : invalid('Enter a valid email address.');
  });
}

export function Bool(options: FieldOptions): PropertyDecorator {
  return field('bool', options, { type: 'boolean' }, (value) =>
    typeof value === 'boolean' ? null : invalid('Must be a valid boolean.'),
  );
}

/** The check of a whole number within PostgreSQL's `integer` unless bounds are given. */
export function integerCheck({ min = -2_147_483_648, max = 2_147_483_647 } = {}): Check {
  return (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return invalid('A valid integer is required.');
    if (value < min) return problem('min_value', `Ensure this value is greater than or equal to ${min}.`);
    if (value > max) return problem('max_value', `Ensure this value is less than or equal to ${max}.`);
    return null;
  };
}

export function Int(
  options: FieldOptions & { readonly min?: number; readonly max?: number },
): PropertyDecorator {
  const { min, max } = options;
  return field(
    'int',
    options,
    {
      type: 'integer',
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
    },
    integerCheck({ min, max }),
  );
}

/** One of a fixed set of texts or numbers; with `told` the refusal of another lists them. */
export function Choice<T extends string | number>(
  options: FieldOptions & { readonly choices: readonly T[]; readonly told?: boolean },
): PropertyDecorator {
  const { choices, nullable, told } = options;
  const supported = told ? ` Supported: ${choices.join(', ')}` : '';
  const type = typeof choices[0] === 'number' ? 'integer' : 'string';
  // OpenAPI wants null among the choices of a nullable enum.
  const listed = nullable ? [...choices, null] : [...choices];
  return field('choice', options, { type, enum: listed as never }, (value) =>
    choices.includes(value as T)
      ? null
      : problem('invalid_choice', `${printed(value)} is not a valid choice.${supported}`),
  );
}

function printed(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

export function Uuid(options: FieldOptions): PropertyDecorator {
  return field('uuid', options, { type: 'string', format: 'uuid' }, (value) =>
    isUUID(value, 'loose') ? null : invalid('Must be a valid UUID.'),
  );
}

/** A point in time; one without an offset is UTC (ERR-21). The handler gets a Date. */
export function Timestamp(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => parseTimestamp(value) ?? value),
    field('timestamp', options, { type: 'string', format: 'date-time' }, (value) =>
      value instanceof Date ? null : invalid(NO_TIMESTAMP),
    ),
  );
}

/** The deepest nesting of arrays and objects that a free-form JSON value may have. */
const MAX_DEPTH = 20;

/** The check of a free-form JSON value: storable, and not deeper than 20 levels. */
export function jsonCheck(value: unknown, depth = 0): ReturnType<Check> {
  if (typeof value === 'string') return unstorable(value);
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_DEPTH) return invalid(`Ensure this value is nested no deeper than ${MAX_DEPTH} levels.`);
  for (const [key, item] of Object.entries(value)) {
    const bad = unstorable(key) ?? jsonCheck(item, depth + 1);
    if (bad) return bad;
  }
  return null;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The check of a free-form JSON object. */
export const jsonObjectCheck: Check = (value) =>
  isObject(value)
    ? jsonCheck(value)
    : problem('not_a_dict', `Expected a dictionary of items but got type "${typeName(value)}".`);

/** The most objects in the list that may stand for a free-form JSON object. */
const LONGEST_OBJECT_LIST = 1000;

/** A free-form JSON object, kept as it came; `orList` lets a list of at most 1000 objects pass as well. */
export function JsonObject(options: FieldOptions & { readonly orList?: boolean }): PropertyDecorator {
  const object = { type: 'object', additionalProperties: true } as const;
  return field(
    'jsonObject',
    options,
    (options.orList
      ? { oneOf: [object, { type: 'array', items: object, maxItems: LONGEST_OBJECT_LIST }] }
      : object) as Partial<ApiPropertyOptions>,
    (value) =>
      options.orList && Array.isArray(value)
        ? listCheck(LONGEST_OBJECT_LIST, jsonObjectCheck)(value)
        : jsonObjectCheck(value),
  );
}

interface ListOptions extends FieldOptions {
  /** The most items it may have. */
  readonly max: number;
}

/** The check of a list whose items each pass `item`. */
export function listCheck(max: number, item: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) {
      return problem('not_a_list', `Expected a list of items but got type "${typeName(value)}".`);
    }
    if (value.length > max)
      return problem('max_length', `Ensure this field has no more than ${max} elements.`);
    for (const [index, entry] of value.entries()) {
      const bad = item(entry);
      if (bad) return { ...bad, path: [String(index), ...(bad.path ?? [])] };
    }
    return null;
  };
}

/** A list of plain values, each checked by `item`; `items` is their schema. */
export function List(
  options: ListOptions & { readonly items: object; readonly item: Check },
): PropertyDecorator {
  return field(
    'list',
    options,
    { type: 'array', items: options.items, maxItems: options.max } as Partial<ApiPropertyOptions>,
    listCheck(options.max, options.item),
  );
}

/** A list of objects of a request class; errors name the item and its field (`steps__0__url`, D8). */
export function ObjectList(
  options: ListOptions & { readonly of: () => new () => object },
): PropertyDecorator {
  return field(
    'objectList',
    options,
    {
      // Swagger knows a class that is yet to be looked up by the name of the function, which must be `type`.
      type: () => options.of(),
      isArray: true,
      maxItems: options.max,
    } as unknown as Partial<ApiPropertyOptions>,
    listCheck(options.max, (item) =>
      isObject(item) ? null : invalid(`Invalid data. Expected a dictionary, but got ${typeName(item)}.`),
    ),
    { of: options.of },
  );
}

/** An object of a request class (`destination__type`, ERR-05). */
export function Nested(options: FieldOptions & { readonly of: () => new () => object }): PropertyDecorator {
  return field(
    'nested',
    options,
    { type: () => options.of() } as Partial<ApiPropertyOptions>,
    (value) =>
      isObject(value) ? null : invalid(`Invalid data. Expected a dictionary, but got ${typeName(value)}.`),
    { of: options.of },
  );
}
