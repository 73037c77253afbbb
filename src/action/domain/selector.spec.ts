import { PatternInvalid } from './pattern';
import { parseSelector } from './selector';

const part = (given: object) => ({
  below: null,
  tag: null,
  classes: [],
  attributes: [],
  nthChild: null,
  nthOfType: null,
  ...given,
});

function refusalOf(selector: string): string | null {
  try {
    parseSelector(selector);
    return null;
  } catch (error) {
    if (error instanceof PatternInvalid) return error.message;
    throw error;
  }
}

describe('A selector', () => {
  it('has a tag, classes, an id, attributes and positions (MATCH-14)', () => {
    expect(parseSelector(`a.btn.big#go[data-attr='x y'][href="/a]b"]:nth-child(2):nth-of-type(11)`)).toEqual([
      part({
        tag: 'a',
        classes: ['btn', 'big'],
        attributes: [
          { name: 'id', value: 'go' },
          { name: 'data-attr', value: 'x y' },
          { name: 'href', value: '/a]b' },
        ],
        nthChild: 2,
        nthOfType: 11,
      }),
    ]);
  });

  it('joins parts by blanks and by >, with or without blanks around it (MATCH-14)', () => {
    expect(parseSelector('  main  .list > li>a ')).toEqual([
      part({ tag: 'main' }),
      part({ below: 'anywhere', classes: ['list'] }),
      part({ below: 'directly', tag: 'li' }),
      part({ below: 'directly', tag: 'a' }),
    ]);
  });

  it('reads escapes and letters of any language as CSS does', () => {
    expect(parseSelector(String.raw`.md\:flex.\31 0 #größe[a='it\'s']`)).toEqual([
      part({ classes: ['md:flex', '10'] }),
      part({
        below: 'anywhere',
        attributes: [
          { name: 'id', value: 'größe' },
          { name: 'a', value: "it's" },
        ],
      }),
    ]);
  });

  it.each([
    ['', 'it is empty'],
    ['div >', 'it ends where an element was expected'],
    ['> div', 'it is not understood from "> div" on'],
    ['a > > b', 'it is not understood from "> b" on'],
    ['a, b', 'it is not understood from ", b" on'],
    ['*', 'it is not understood from "*" on'],
    ['a..b', 'it is not understood from "..b" on'],
    ['a#', 'it is not understood from "#" on'],
    ['[href]', 'it is not understood from "[href]" on'],
    ['[href=x]', 'it is not understood from "[href=x]" on'],
    ["[href^='x']", `it is not understood from "[href^='x']" on`],
    ["[href='x", `it is not understood from "[href='x" on`],
    ['li:nth-child(0)', 'it is not understood from ":nth-child(0)" on'],
    ['li:nth-child(2n)', 'it is not understood from ":nth-child(2n)" on'],
    ['a:not(.b)', 'it is not understood from ":not(.b)" on'],
    ['a + b', 'it is not understood from "+ b" on'],
    ['a::before', 'it is not understood from "::before" on'],
    ['a /* b */', 'it is not understood from "/* b */" on'],
  ])('is not %p: %s', (selector, why) => {
    expect(refusalOf(selector)).toBe(why);
  });

  it.each([
    ['many classes', '.a'.repeat(300_000)],
    ['many parts', 'a '.repeat(300_000)],
    ['open brackets', '['.repeat(600_000)],
    ['escapes', `[${'\\aaaaaa'.repeat(80_000)}`],
    ['an open string', `[a='${"\\'".repeat(300_000)}`],
    ['blanks', `a${' '.repeat(500_000)}>${' '.repeat(500_000)}!`],
  ])(
    'of any size is read in no time: %s',
    (_, selector) => {
      expect(() => refusalOf(selector)).not.toThrow();
    },
    5_000,
  );
});
