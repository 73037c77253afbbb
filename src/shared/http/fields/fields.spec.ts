import { Invalid } from '../../domain/domain-error';
import { readBody } from '../body.pipe';
import {
  Bool,
  Choice,
  Email,
  Int,
  JsonObject,
  List,
  Nested,
  ObjectList,
  Text,
  Timestamp,
  textCheck,
  Uuid,
} from './index';

const about = { description: 'A field.', example: null };

class Inner {
  @Text({ ...about, required: true, max: 3 })
  text!: string;

  @Int({ ...about, nullable: true })
  number?: number | null;
}

class Everything {
  @Text({ ...about, max: 5 })
  text?: string;

  @Text({ ...about, max: 5, trim: true, nullable: true, blank: true })
  trimmed?: string | null;

  @Text({ ...about, max: 9, pattern: { source: /^a+$/, detail: 'Only a.' }, blank: true })
  pattern?: string;

  @Text({ ...about, max: 9, check: { passes: (text) => text.endsWith('!'), detail: 'Shout.' }, blank: true })
  check?: string;

  @Email(about)
  email?: string;

  @Bool(about)
  bool?: boolean;

  @Int({ ...about, min: 1, max: 10 })
  int?: number;

  @Int(about)
  anyInt?: number;

  @Choice({ ...about, choices: ['a', 'b'] })
  choice?: string;

  @Choice({ ...about, choices: [1, 8], nullable: true })
  level?: number | null;

  @Uuid(about)
  uuid?: string;

  @Timestamp({ ...about, nullable: true })
  moment?: Date | null;

  @JsonObject(about)
  json?: Record<string, unknown>;

  @JsonObject({ ...about, orList: true })
  jsonOrList?: unknown;

  @List({ ...about, max: 2, items: { type: 'string' }, item: textCheck({ max: 3 }) })
  list?: string[];

  @ObjectList({ ...about, max: 2, of: () => Inner })
  objects?: Inner[];

  @Nested({ ...about, nullable: true, of: () => Inner })
  nested?: Inner | null;
}

/** `attr code detail` of what is wrong with a body, or null. */
function wrongWith(body: Record<string, unknown>): string | null {
  try {
    readBody(Everything, body);
    return null;
  } catch (error) {
    if (error instanceof Invalid) return `${error.attr} ${error.code} ${error.message}`;
    throw error;
  }
}

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

describe('Fields (ERR-18)', () => {
  it.each<[string, unknown]>([
    ['text', 'abcde'],
    ['text', '🦔🦔🦔🦔🦔'],
    ['text', ' '],
    ['pattern', 'aaa'],
    ['pattern', ''],
    ['check', 'now!'],
    ['check', ''],
    ['email', 'Ada.Lovelace+x@example.co.uk'],
    ['bool', false],
    ['int', 1],
    ['int', 10],
    ['anyInt', -2_147_483_648],
    ['anyInt', 2_147_483_647],
    ['choice', 'b'],
    ['level', 8],
    ['level', null],
    ['uuid', '0195b1f4-7c1c-7000-8000-0123456789AB'],
    ['moment', null],
    ['json', {}],
    ['json', { a: [1, null, { b: '🦔' }], constructor: 1 }],
    ['json', nested(20)],
    ['jsonOrList', [{ a: 1 }, {}]],
    ['jsonOrList', []],
    ['jsonOrList', { a: 1 }],
    ['list', []],
    ['list', ['a', 'bcd']],
    ['objects', []],
    ['objects', [{ text: 'a' }, { text: 'b', number: null }]],
    ['nested', { text: 'a', number: 7 }],
    ['nested', null],
  ])('take %s: %j as it is', (field, value) => {
    const body = readBody(Everything, { [field]: value });
    expect({ ...body }).toEqual({ [field]: value });
  });

  it('drop white space around a text that says so, and read timestamps', () => {
    expect(readBody(Everything, { trimmed: ' \t\u00a0abc\n ', moment: '2025-03-01 09:30' })).toEqual({
      trimmed: 'abc',
      moment: new Date('2025-03-01T09:30:00Z'),
    });
    expect(readBody(Everything, { trimmed: '   ' })).toEqual({ trimmed: '' });
  });

  it('tell absent from null', () => {
    expect(Object.keys(readBody(Everything, {}))).toEqual([]);
    expect({ ...readBody(Everything, { moment: null }) }).toEqual({ moment: null });
  });

  const noTimestamp =
    'invalid_input Datetime has wrong format. Use one of these formats instead: ' +
    'YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';
  const noDictionary = (type: string) =>
    `invalid_input Invalid data. Expected a dictionary, but got ${type}.`;

  it.each<[string, unknown, string]>([
    ['text', null, 'null This field may not be null.'],
    ['text', '', 'blank This field may not be blank.'],
    ['text', 'abcdef', 'max_length Ensure this field has no more than 5 characters.'],
    ['text', '🦔🦔🦔🦔🦔🦔', 'max_length Ensure this field has no more than 5 characters.'],
    ['text', 12, 'invalid_input Not a valid string.'],
    ['text', ['a'], 'invalid_input Not a valid string.'],
    ['text', { length: 1 }, 'invalid_input Not a valid string.'],
    ['text', 'a\0', 'null_characters_not_allowed Null characters are not allowed.'],
    ['text', '\ud83e', 'surrogate_characters_not_allowed Surrogate characters must come in pairs.'],
    ['trimmed', 7, 'invalid_input Not a valid string.'],
    ['trimmed', ' abcdef ', 'max_length Ensure this field has no more than 5 characters.'],
    ['pattern', 'b', 'invalid_input Only a.'],
    ['check', 'now', 'invalid_input Shout.'],
    ['email', '', 'blank This field may not be blank.'],
    ['email', 'ada', 'invalid_input Enter a valid email address.'],
    ['email', 'ada@', 'invalid_input Enter a valid email address.'],
    ['email', 'ada@exa mple.com', 'invalid_input Enter a valid email address.'],
    ['email', 'ada@example.com\n', 'invalid_input Enter a valid email address.'],
    ['email', `${'a'.repeat(250)}@x.de`, 'max_length Ensure this field has no more than 254 characters.'],
    ['email', 5, 'invalid_input Not a valid string.'],
    ['bool', null, 'null This field may not be null.'],
    ['bool', 'true', 'invalid_input Must be a valid boolean.'],
    ['bool', 1, 'invalid_input Must be a valid boolean.'],
    ['int', 0, 'min_value Ensure this value is greater than or equal to 1.'],
    ['int', 11, 'max_value Ensure this value is less than or equal to 10.'],
    ['int', 1.5, 'invalid_input A valid integer is required.'],
    ['int', '1', 'invalid_input A valid integer is required.'],
    ['int', Number.POSITIVE_INFINITY, 'invalid_input A valid integer is required.'],
    ['int', true, 'invalid_input A valid integer is required.'],
    ['anyInt', 2_147_483_648, 'max_value Ensure this value is less than or equal to 2147483647.'],
    ['choice', 'c', 'invalid_choice "c" is not a valid choice.'],
    ['choice', 'A', 'invalid_choice "A" is not a valid choice.'],
    ['choice', '', 'invalid_choice "" is not a valid choice.'],
    ['choice', ['a'], 'invalid_choice "["a"]" is not a valid choice.'],
    ['choice', 'x'.repeat(100), `invalid_choice "${'x'.repeat(60)}…" is not a valid choice.`],
    ['choice', null, 'null This field may not be null.'],
    ['level', '8', 'invalid_choice "8" is not a valid choice.'],
    ['uuid', 'x', 'invalid_input Must be a valid UUID.'],
    ['uuid', 5, 'invalid_input Must be a valid UUID.'],
    ['uuid', '0195b1f4-7c1c-7000-8000-0123456789ab\n', 'invalid_input Must be a valid UUID.'],
    ['moment', 'yesterday', noTimestamp],
    ['moment', 1740821400, noTimestamp],
    ['moment', {}, noTimestamp],
    ['json', null, 'null This field may not be null.'],
    ['json', 'x', 'not_a_dict Expected a dictionary of items but got type "str".'],
    ['json', [], 'not_a_dict Expected a dictionary of items but got type "list".'],
    ['json', 7, 'not_a_dict Expected a dictionary of items but got type "int".'],
    ['json', { a: ['\0'] }, 'null_characters_not_allowed Null characters are not allowed.'],
    ['json', { 'a\0': 1 }, 'null_characters_not_allowed Null characters are not allowed.'],
    [
      'json',
      { a: { '\udc00': 1 } },
      'surrogate_characters_not_allowed Surrogate characters must come in pairs.',
    ],
    ['json', nested(21), 'invalid_input Ensure this value is nested no deeper than 20 levels.'],
    ['jsonOrList', 'x', 'not_a_dict Expected a dictionary of items but got type "str".'],
    ['list', 'x', 'not_a_list Expected a list of items but got type "str".'],
    ['list', { 0: 'a' }, 'not_a_list Expected a list of items but got type "dict".'],
    ['list', false, 'not_a_list Expected a list of items but got type "bool".'],
    ['list', 1.5, 'not_a_list Expected a list of items but got type "float".'],
    ['list', ['a', 'b', 'c'], 'max_length Ensure this field has no more than 2 elements.'],
    ['objects', {}, 'not_a_list Expected a list of items but got type "dict".'],
    ['objects', [{}, {}, {}], 'max_length Ensure this field has no more than 2 elements.'],
    ['nested', 'x', noDictionary('str')],
    ['nested', [], noDictionary('list')],
  ])('refuse %s: %j', (field, value, problem) => {
    expect(wrongWith({ [field]: value })).toBe(`${field} ${problem}`);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ list: ['a', 5] }, 'list__1 invalid_input Not a valid string.'],
    [{ list: ['a', null] }, 'list__1 invalid_input Not a valid string.'],
    [{ objects: ['x'] }, `objects__0 ${noDictionary('str')}`],
    [{ objects: [{ text: 'a' }, null] }, `objects__1 ${noDictionary('null')}`],
    [{ objects: [{ text: 'a' }, {}] }, 'objects__1__text required This field is required.'],
    [
      { objects: [{ text: 'a', number: 'x' }] },
      'objects__0__number invalid_input A valid integer is required.',
    ],
    [{ nested: {} }, 'nested__text required This field is required.'],
    [
      { nested: { text: 'abcd' } },
      'nested__text max_length Ensure this field has no more than 3 characters.',
    ],
    [
      { jsonOrList: [{}, 'x'] },
      'jsonOrList__1 not_a_dict Expected a dictionary of items but got type "str".',
    ],
  ])('name what is wrong inside: %j (ERR-05, D8)', (body, problem) => {
    expect(wrongWith(body)).toBe(problem);
  });

  it('blame the first field in the order of the class, not of the body (ERR-03)', () => {
    expect(wrongWith({ nested: 1, uuid: 1, email: 1 })).toMatch(/^email /);
    expect(wrongWith({ nested: { number: 'x', text: 7 } })).toMatch(/^nested__text /);
  });
});
