import { likePattern } from './like-pattern';

describe('a LIKE pattern', () => {
  it.each([
    ['a%b_c', 'a%b_c'],
    ['100\\%', '100\\%'],
    ['a\\_b', 'a\\_b'],
    ['a\\\\b', 'a\\\\b'],
    ['a\\b', 'a\\\\b'],
    ['a\\', 'a\\\\'],
    ['\\\\\\', '\\\\\\\\'],
  ])('%s', (pattern, expected) => {
    expect(likePattern(pattern)).toBe(expected);
  });
});
