import fc from 'fast-check';
import { Client } from 'pg';
import { RE2JS } from 're2js';
import { likePattern } from '../../src/event/hogql/like-pattern';
import { regexPattern } from '../../src/event/hogql/regex-pattern';
import { timestampOf } from '../../src/event/hogql/timestamp-text';
import { Invalid } from '../../src/shared/domain/domain-error';
import { createDatabase, dropDatabase, urlOf } from '../support/database';
import { ODD_TEXTS } from '../support/odd-events';

const atoms = [
  'a',
  'b',
  'B',
  '.',
  '\\.',
  '\\d',
  '\\W',
  '\\s',
  '[ab]',
  '[^a]',
  '[]x]',
  '[a-c1-9]',
  '[[:upper:]_-]',
  '[\\d\\-]',
];
const more = [
  '(a|b)',
  '(?:ab)',
  '(?P<x>a)',
  '^',
  '$',
  '\\b',
  '|',
  '-',
  '_',
  '1',
  '\\x61',
  '\\n',
  '{',
  '}',
  ']',
  '(?i)',
  '(',
  ')',
  '[',
  '\\1',
];
const part = fc
  .tuple(
    fc.constantFrom(...atoms, ...more),
    fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?', '{2}?', '{,2}', '{300}'),
  )
  .map(([atom, repetition]) => atom + repetition);
const sequence = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
const nested = fc
  .tuple(
    sequence,
    fc.constantFrom('{20}', '{100}', '{1,30}', '*'),
    sequence,
    fc.constantFrom('', '{5}', '+', '{0,9}'),
  )
  .map(([inner, times, outer, again]) => `((${inner})${times}${outer})${again}`);
const pattern = fc.oneof(
  sequence,
  nested,
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }).filter((text) => text.isWellFormed() && !text.includes('\0')),
);
const subject = fc
  .array(fc.constantFrom(...['a', 'b', 'B', 'c', '1', ' ', '\n', '.', '-', '_', ']', '{', '}', 'x']), {
    maxLength: 8,
  })
  .map((letters) => letters.join(''));

/** Null for what RE2 alone refuses: names of groups that are there twice. */
function reference(given: string): RE2JS | null {
  try {
    return RE2JS.compile(given, RE2JS.DOTALL);
  } catch (error) {
    expect(String(error)).toContain('duplicate capture group name');
    return null;
  }
}

describe('patterns', () => {
  const name = `hedgerow_patterns_${process.pid}_${Date.now()}`;
  let client: Client;

  beforeAll(async () => {
    await createDatabase(name);
    client = new Client({ connectionString: urlOf(name) });
    await client.connect();
    await client.query("SET statement_timeout = '20s'");
  });
  afterAll(async () => {
    await client.end();
    await dropDatabase(name);
  });

  const inPostgres = async (sql: string, ...values: unknown[]): Promise<unknown> =>
    (await client.query<{ it: unknown }>(`SELECT ${sql} AS it`, values)).rows[0]?.it;

  it('of RE2 find what RE2 finds, or are refused', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        pattern,
        fc.array(subject, { minLength: 5, maxLength: 5 }),
        async (given, subjects) => {
          let translated: string;
          try {
            translated = regexPattern(given);
          } catch (error) {
            expect(error).toBeInstanceOf(Invalid);
            return;
          }
          const found = await inPostgres(
            'array(SELECT s ~ $1 FROM unnest($2::text[]) WITH ORDINALITY AS u (s, n) ORDER BY n)',
            translated,
            subjects,
          );
          const expression = reference(given);
          if (!expression) return;
          expect(found).toEqual(subjects.map((text) => expression.matcher(text).find()));
          compared += 1;
        },
      ),
      { numRuns: 1_500 },
    );
    expect(compared).toBeGreaterThan(300);
  }, 60_000);

  it.each([
    '(a+)+$',
    '(a|aa)*b',
    '(a|b)*a(a|b){20}',
    '(a*)*(a*)*(a*)*b',
    `${'(x+x+)+'.repeat(10)}y`,
    '([a-z]{200}){4}',
    '(a?){250}a{250}',
    '(?i)([^a]{200}|[^b]{200}|\\w{100})',
    '(?i)(([a-zß-ÿ]{1,30}|[0-9]{5}){20})x',
    '((((a|b)?c?)*(d|e)?){60})f',
    `(?i)[\\x01-\\x{10ffff}]{100}`,
    '(((a{1,5}){1,5}){1,5}){1,5}b',
  ])(
    'of RE2 take no forever: %s',
    async (given) => {
      for (const text of ['a'.repeat(100_000), 'ab'.repeat(50_000), 'x'.repeat(100_000)])
        expect(typeof (await inPostgres('$2 ~ $1', regexPattern(given), text))).toBe('boolean');
    },
    60_000,
  );

  it('of LIKE never fail, and find what ClickHouse finds', async () => {
    const letters = fc.constantFrom(...['a', 'b', '%', '_', '\\', '\n', '.', '*', '^', '$', '(', '[']);
    const texts = fc.array(letters, { maxLength: 6 }).map((all) => all.join(''));
    const expected = (like: string) =>
      new RegExp(
        `^${like.replace(/\\[\\%_]|[\s\S]/g, (it) => (it === '%' ? '[^]*' : it === '_' ? '[^]' : `\\u${(it.at(-1) ?? '').charCodeAt(0).toString(16).padStart(4, '0')}`))}$`,
        '',
      );
    await fc.assert(
      fc.asyncProperty(texts, texts, async (text, like) => {
        expect(await inPostgres('$1 LIKE $2', text, likePattern(like))).toBe(expected(like).test(text));
      }),
      { numRuns: 500 },
    );
  });

  it('of time are read by PostgreSQL as they are in a query', async () => {
    for (const text of [
      ...ODD_TEXTS,
      '2024-02-29T10:11:12.123456789+05:45',
      '2024-02-29 10:11',
      '2024-02-29 10:11:12Z',
    ]) {
      const inQuery = timestampOf(text);
      // Seconds since 1970 are a number in a query.
      if (/^\d+$/.test(text) || text.includes('\0')) continue;
      const inEvent = await inPostgres('hogql_timestamp($1)::text', text);
      expect([text, inEvent]).toEqual([
        text,
        inQuery === null ? null : await inPostgres('$1::timestamptz::text', inQuery),
      ]);
    }
  });
});
