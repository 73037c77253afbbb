import { Slug } from './slug';

describe('Slug (ORG-12)', () => {
  it.each([
    ['Hedgerow Ltd', 'hedgerow-ltd'],
    ['  Two   blanks  ', 'two-blanks'],
    ['Zoë & Söhne', 'zoe-sohne'],
    ['a_b', 'a_b'],
    ['--a--b--', 'a-b'],
    ['_a_', 'a'],
    ['42', '42'],
    ['İstanbul', 'istanbul'],
    ['ﬁne ２', 'fine-2'],
    ['日本', 'organization'],
    ['🦔', 'organization'],
    ['!?', 'organization'],
    ['- _', 'organization'],
  ])('of %j is %s', (name, slug) => expect(Slug.of(name).text).toBe(slug));

  it('has at most 48 characters', () => {
    expect(Slug.of('a'.repeat(48)).text).toBe('a'.repeat(48));
    expect(Slug.of('a'.repeat(64)).text).toBe('a'.repeat(48));
  });

  it('varies in four random letters behind at most 43 characters', () => {
    expect(Slug.of('Test').varied().text).toMatch(/^test-[a-z]{4}$/);
    const varied = new Set(Array.from({ length: 50 }, () => Slug.of('a'.repeat(64)).varied().text));
    expect(varied.size).toBeGreaterThan(45);
    for (const text of varied) expect(text).toMatch(/^a{43}-[a-z]{4}$/);
  });
});
