import { regexPattern } from './regex-pattern';

describe('a regular expression', () => {
  it.each([
    ['abc', '(?c)(?:abc)'],
    ['(?i)a.b', '(?i)(?:a.b)'],
    ['^a|b$', '(?c)(?:\\Aa|b\\Z)'],
    ['\\d\\D\\w\\s', '(?c)(?:[0-9][^0-9][0-9A-Za-z_][\\t\\n\\f\\r ])'],
    ['(?P<n>a)(?:b)(c)+?', '(?c)(?:(?:a)(?:b)(?:c)+)'],
    ['[]a-z\\d[:alpha:]-]', '(?c)(?:[\\]a-z0-9A-Za-z\\-])'],
    ['a{2,3}b{2,}c{0}{x', '(?c)(?:a{2,3}b{2,}c{0}\\{x)'],
    ['***a', null],
    ['\\x41\\x{1F600}\\.', '(?c)(?:A😀\\.)'],
    ['\\bword\\B', '(?c)(?:\\yword\\Y)'],
  ])('%s', (pattern, expected) => {
    if (expected === null) expect(() => regexPattern(pattern)).toThrow('there is nothing to repeat');
    else expect(regexPattern(pattern)).toBe(expected);
  });

  it.each([
    ['(?=a)', 'flags inside of it and looking around are not supported'],
    ['a(?i)b', 'flags inside of it and looking around are not supported'],
    ['(a)\\1', '\\1 is not supported'],
    ['\\pL', '\\p is not supported'],
    ['(a', 'a parenthesis is not closed'],
    ['a)', 'a parenthesis was not opened'],
    ['[a', 'a bracket is not closed'],
    ['[z-a]', 'a range is upside down'],
    ['[[:nope:]]', 'the class nope is unknown'],
    ['a{3,2}', 'a repetition is upside down'],
    ['a{256}', 'it repeats more than 255 times'],
    ['a**', 'there is nothing to repeat'],
    ['a\\', 'it ends with a backslash'],
    ['((a{200}){200}){200}', 'it is too large'],
    ['\\x{110000}', 'a code is of no character'],
  ])('is not %s', (pattern, reason) => {
    expect(() => regexPattern(pattern)).toThrow(`cannot be used: ${reason}`);
  });
});
