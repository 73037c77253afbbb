import { entityTagOf, namesTag } from './entity-tag';

describe('An entity tag', () => {
  const tag = entityTagOf('{"id":1}');

  it('is strong, quoted, and differs with the representation', () => {
    expect(tag).toMatch(/^"[\w-]{27}"$/);
    expect(entityTagOf('{"id":1}')).toBe(tag);
    expect(entityTagOf('{"id":2}')).not.toBe(tag);
  });

  it.each([
    [tag, true],
    ['*', true],
    [` "other" ,${tag}`, true],
    ['"other"', false],
    ['', false],
    [tag.slice(1, -1), false],
  ])('is named by %s: %s', (header, named) => {
    expect(namesTag(header, tag, 'strong')).toBe(named);
    expect(namesTag(header, tag, 'weak')).toBe(named);
  });

  it('that is weak names only where that will do', () => {
    expect(namesTag(`W/${tag}`, tag, 'strong')).toBe(false);
    expect(namesTag(`W/${tag}`, tag, 'weak')).toBe(true);
  });
});
