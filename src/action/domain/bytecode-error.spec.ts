import { bytecodeErrorOf } from './bytecode-error';
import { PatternInvalid } from './pattern';
import { normalised, type Step } from './step';

/** An engine that knows no brackets. */
const compile = (pattern: string) => {
  if (pattern.includes('(')) throw new PatternInvalid('it has a bracket');
};

const errorOf = (...steps: Partial<Step>[]) => bytecodeErrorOf(steps.map(normalised), compile);
const filterError = (filter: Record<string, unknown>) => errorOf({ properties: [filter] });

describe('What does not compile', () => {
  it.each(['url', 'text', 'href'] as const)('is found in %s when it is matched by regex', (field) => {
    expect(errorOf({}, { [field]: '(', [`${field}_matching`]: 'regex' })).toBe(
      `Step 2: the regular expression of ${field}, "(", does not compile: it has a bracket.`,
    );
    expect(errorOf({ [field]: '(', [`${field}_matching`]: 'contains' })).toBeNull();
    expect(errorOf({ [field]: '(' })).toBeNull();
    expect(errorOf({ [field]: null, [`${field}_matching`]: 'regex' })).toBeNull();
  });

  it('is found in selectors', () => {
    expect(errorOf({ selector: 'a >' })).toBe(
      'Step 1: the selector of selector, "a >", does not compile: it ends where an element was expected.',
    );
  });

  it.each(['regex', 'not_regex'])(
    'is found in properties with operator %s, any of their values (MATCH-21)',
    (operator) => {
      expect(filterError({ key: 'plan', value: ['a', '('], operator })).toBe(
        'Step 1: the regular expression of the property "plan", "(", does not compile: it has a bracket.',
      );
      expect(filterError({ key: 'plan', value: [1, true, 'a'], operator })).toBeNull();
      for (const value of [null, undefined, {}, [[]]]) {
        expect(filterError({ key: 'plan', value, operator })).toBe(
          'Step 1: the regular expression of the property "plan", does not compile: it is not text.',
        );
      }
    },
  );

  it('is not looked for in properties with other operators', () => {
    for (const operator of ['exact', 'is_not', 'icontains', 'is_set', 'gt', undefined, null, 7]) {
      expect(filterError({ key: 'plan', value: '(', operator })).toBeNull();
    }
    expect(filterError({})).toBeNull();
  });

  it('is found in selectors of elements (MATCH-28)', () => {
    const filter = { key: 'selector', type: 'element', value: ['a', 'b,'] };
    expect(filterError(filter)).toContain('the selector of the property "selector", "b,", does not compile');
    expect(filterError({ ...filter, operator: 'is_set' })).toBeNull();
    expect(filterError({ ...filter, type: 'event' })).toBeNull();
  });

  it('is told of once, the first, and not at length', () => {
    const error = errorOf({ url: `(${'𐀀'.repeat(9_000)}`, url_matching: 'regex' }, { selector: '>' });
    expect(error).toBe(
      `Step 1: the regular expression of url, "(${'𐀀'.repeat(59)}…", does not compile: it has a bracket.`,
    );
  });

  it('does not hide other failures', () => {
    const broken = () => {
      throw new TypeError('A mistake of ours');
    };
    expect(() => bytecodeErrorOf([normalised({ url: 'a', url_matching: 'regex' })], broken)).toThrow(
      TypeError,
    );
  });
});
