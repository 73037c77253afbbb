import { RE2JS } from 're2js';
import { PatternInvalid } from '../domain/pattern';
import { regexCompiler, weightOf } from './regex';

const refusalOf = (pattern: string, compile = regexCompiler()): string | null => {
  try {
    compile(pattern);
    return null;
  } catch (error) {
    if (error instanceof PatternInvalid) return error.message;
    throw error;
  }
};

describe('A regular expression', () => {
  it('is an RE2 search (MATCH-06)', () => {
    const compile = regexCompiler();
    expect(compile('^/a/\\d+$').test('/a/12')).toBe(true);
    expect(compile('b+').test('abbc')).toBe(true);
    expect(compile('(?i)É').test('é')).toBe(true);
    expect(compile('x').test('abc')).toBe(false);
  });

  it.each([
    ['(', 'missing closing ): `(`'],
    ['[', 'missing closing ]: `[`'],
    ['*', 'missing argument to repetition operator: `*`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['x'.repeat(1001), 'it is longer than 1000 characters'],
    ['(a{1000}){1000}', 'the regular expressions of the action are too large'],
    [`(${'x'.repeat(990)}){1000}`, 'the regular expressions of the action are too large'],
    [`(${'x'.repeat(900)}\\Q(\\E){1000}`, 'the regular expressions of the action are too large'],
    [`(${'x'.repeat(900)}[)(]\\)){1000}`, 'the regular expressions of the action are too large'],
    [`(${'x'.repeat(900)})+(?s){1000}`, 'the regular expressions of the action are too large'],
    [`(?i)${'[ā-𐀀]'.repeat(160)}{9}`, 'the regular expressions of the action are too large'],
  ])('%# is refused: it is not one, or too large', (pattern, why) => {
    expect(refusalOf(pattern)).toBe(why);
  });

  it.each([
    '',
    '^https?://([a-z0-9-]+\\.)*example\\.com(:\\d{1,5})?/',
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    '.{0,1000}',
    '(?i)^(?P<plan>pro|team)\\s+[[:alpha:]]{2,40}$',
    `${'('.repeat(490)}a${')'.repeat(490)}`,
    'x'.repeat(1000),
  ])('%# compiles', (pattern) => {
    expect(refusalOf(pattern)).toBeNull();
  });

  it('counts together with the others of its action', () => {
    const compile = regexCompiler();
    for (let index = 0; index < 10; index += 1) expect(refusalOf('x'.repeat(1000), compile)).toBeNull();
    expect(refusalOf('x', compile)).toBe('the regular expressions of the action are too large');
    expect(refusalOf('x')).toBeNull();
  });

  it('does not count when it is refused', () => {
    const compile = regexCompiler();
    expect(refusalOf('(x{100}y){100}', compile)).not.toBeNull();
    expect(refusalOf('x', compile)).toBeNull();
  });

  it('weighs about as much as its program is large', () => {
    for (const pattern of [
      'a',
      '(ab){50}',
      '(a{10}){20}',
      'a|[^b]{3,7}',
      '\\pL{30}?',
      '\\x{1000}{4}',
      '(){40}',
    ]) {
      expect(weightOf(pattern) * 3 + 5).toBeGreaterThan(RE2JS.compile(pattern).programSize());
    }
    expect(weightOf('(ab){50}c')).toBe(151);
  });
});
