import { inWords } from './moment';

it('A moment is told in words, in UTC', () => {
  expect(inWords(new Date('2026-11-24T09:46:59+01:00'))).toBe('24 November 2026 at 08:46 UTC');
});
