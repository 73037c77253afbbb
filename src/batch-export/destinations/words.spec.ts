import { wordsOf } from './words';

describe('The words of a destination', () => {
  it('have no secret in them, however it is written', () => {
    const secret = 'pass"word &1';
    const text = `no ${secret}, ${JSON.stringify({ secret })}, ?${encodeURIComponent(secret)}`;
    expect(wordsOf(text, [secret])).toBe('no ***, {"secret":"***"}, ?***');
  });

  it('are one line of bounded length', () => {
    expect(wordsOf(' a\r\n\t b\u0000\u001b[31mc ', [])).toBe('a b [31mc');
    expect(wordsOf('😀'.repeat(2001), [])).toBe(`${'😀'.repeat(499)}…`);
    expect(wordsOf('x'.repeat(9999), [])).toHaveLength(500);
  });
});
