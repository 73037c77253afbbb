import { PartialType } from '@nestjs/swagger';
import { Invalid } from '../domain/domain-error';
import { BodyPipe, ListBodyPipe, readBody } from './body.pipe';
import { Bool, JsonObject, Nested, ObjectList, Text } from './fields/index';

const about = { description: 'A field.', example: null };

class Part {
  @Text({ ...about, max: 5 })
  text?: string;
}

class Create {
  @Text({ ...about, required: true, max: 5 })
  name!: string;

  @Bool({ ...about, nullable: true })
  flag?: boolean | null;

  @Nested({ ...about, of: () => Part })
  part?: Part;

  @JsonObject(about)
  json?: Record<string, unknown>;
}

class Update extends PartialType(Create, { skipNullProperties: false }) {}

const pipe = new BodyPipe();
const read = (value: unknown, metatype: new () => object = Create) =>
  pipe.transform(value, { type: 'body', metatype });
const problem = (attr: string | null, code: string) => expect.objectContaining({ attr, code });

describe('BodyPipe', () => {
  it('makes the request class of a body', () => {
    const body = read({ name: 'x', flag: null, part: { text: 'y' } });
    expect(body).toBeInstanceOf(Create);
    expect(body).toEqual({ name: 'x', flag: null, part: { text: 'y' } });
    expect((body as Create).part).toBeInstanceOf(Part);
  });

  it('leaves alone what is no body or is read elsewhere', () => {
    const value = { anything: 1 };
    expect(pipe.transform('7', { type: 'query', metatype: String })).toBe('7');
    expect(pipe.transform(value, { type: 'custom', metatype: Create })).toBe(value);
    expect(pipe.transform(value, { type: 'body' })).toBe(value);
    expect(pipe.transform(value, { type: 'body', metatype: Object })).toBe(value);
  });

  it('leaves out unknown fields, at any depth of request classes (D4)', () => {
    const body = read({ name: 'x', unknown: 1, toString: 1, part: { text: 'y', unknown: { deep: 1 } } });
    expect(body).toEqual({ name: 'x', part: { text: 'y' } });
    expect(Object.hasOwn(body as object, 'toString')).toBe(false);
  });

  it('leaves prototypes alone', () => {
    const text =
      '{"name": "x", "__proto__": {"flag": true}, "part": {"__proto__": {"a": 1}, "constructor": 1}}';
    const body = read(JSON.parse(text)) as Create;
    expect(body.flag).toBeUndefined();
    expect(Object.getPrototypeOf(body)).toBe(Create.prototype);
    expect(Object.getPrototypeOf(body.part)).toBe(Part.prototype);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it('keeps a free-form object as it came', () => {
    const json = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "n": 1.50, "list": [[], {}]}');
    expect(JSON.stringify((read({ name: 'x', json }) as Create).json)).toBe(JSON.stringify(json));
  });

  it('takes no body for an empty one, but nothing else', () => {
    expect(read(undefined, Update)).toEqual({});
    expect(() => read(undefined)).toThrow(problem('name', 'required'));
    for (const value of [null, [], 'x', '', 0, 1.5, true, false]) {
      expect(() => read(value, Update)).toThrow(problem(null, 'invalid_input'));
    }
    expect(() => read(null, Update)).toThrow('Invalid data. Expected a dictionary, but got null.');
  });

  it('takes a part of the fields for a change, and null only where it may be', () => {
    expect(read({ flag: null }, Update)).toEqual({ flag: null });
    expect(() => read({ name: null }, Update)).toThrow(problem('name', 'null'));
    expect(() => read({ flag: 1, name: '' }, Update)).toThrow(problem('name', 'blank'));
  });

  it('refuses what nests too deeply, without recursion', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = JSON.parse(`${open.repeat(100_000)}1${close.repeat(100_000)}`);
      for (const field of ['name', 'part', 'json']) {
        expect(() => read({ name: 'x', [field]: deep })).toThrow('This value is nested too deeply.');
      }
      expect(read({ name: 'x', unknown: deep })).toEqual({ name: 'x' });
    }
  });
});

const TRAPS = ['get', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'has', 'ownKeys'] as const;

/** To see whether it nests too deeply, on each level where it may; whoever copied or validated it would look far more often. */
const FEW = 2;

describe('A body of the worst shape', () => {
  class Deep {
    @ObjectList({ ...about, max: 2, of: () => Create })
    items?: Create[];

    @Nested({ ...about, of: () => Create })
    one?: Create;
  }
  const MANY = 10_000;

  /** How often anything in it is looked at. */
  let looks = 0;
  const part = () =>
    new Proxy(
      {},
      Object.fromEntries(TRAPS.map((trap) => [trap, (...given: unknown[]) => look(trap, given)])),
    );
  const look = (trap: (typeof TRAPS)[number], given: unknown[]) => {
    looks += 1;
    return (Reflect[trap] as (...given: unknown[]) => unknown)(...given);
  };
  const list = () => Array.from({ length: MANY }, part);
  const wide = () => Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`k${index}`, part()]));

  beforeEach(() => {
    looks = 0;
  });

  it.each([
    ['a list that is too long', () => ({ items: list() }), 'items'],
    ['a list in place of an object', () => ({ one: list() }), 'one'],
    ['a list in place of a text', () => ({ one: { name: list() } }), 'one__name'],
    ['an object in place of a list', () => ({ items: wide() }), 'items'],
    ['an object in place of a text', () => ({ one: { name: wide() } }), 'one__name'],
  ])('is refused soon: %s', (_, body, attr) => {
    expect(() => read(body(), Deep)).toThrow(expect.objectContaining({ attr }));
    expect(looks).toBeLessThanOrEqual(FEW * MANY);
  });

  it('is read soon where anything is allowed', () => {
    const value = { name: 'x', json: wide() };
    expect((read(value) as Create).json).toBe(value.json);
    expect(looks).toBeLessThanOrEqual(FEW * MANY);
    expect(looks).toBeGreaterThan(0);
  });
});

describe('ListBodyPipe', () => {
  const list = new ListBodyPipe(Create, { max: 2, detail: 'Too many.' });

  it('makes a list of request classes, of one object as well', () => {
    expect(list.transform([{ name: 'a' }, { name: 'b' }])).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect(list.transform({ name: 'a' })).toEqual([{ name: 'a' }]);
    expect(list.transform([{ name: 'a' }])[0]).toBeInstanceOf(Create);
  });

  it('says which item is wrong (D8)', () => {
    expect(() => list.transform([{ name: 'a' }, {}])).toThrow(problem('1__name', 'required'));
    expect(() => list.transform([{ name: 'a' }, null])).toThrow(problem('1', 'invalid_input'));
    expect(() => list.transform({})).toThrow(problem('name', 'required'));
    expect(() => list.transform(undefined)).toThrow(problem('name', 'required'));
    for (const value of [null, 'x', 7])
      expect(() => list.transform(value)).toThrow(problem(null, 'invalid_input'));
  });

  it('has a most', () => {
    const three = Array.from({ length: 3 }, () => ({ name: 'a' }));
    expect(() => list.transform(three)).toThrow(new Invalid(null, 'max_length', 'Too many.'));
    expect(() => list.transform([])).toThrow(problem(null, 'empty'));
  });
});

describe('readBody', () => {
  it('reads as the pipe does', () => {
    expect(readBody(Create, { name: 'x', more: 1 })).toEqual({ name: 'x' });
  });
});
