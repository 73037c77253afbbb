import { printable, table } from './table';

describe('A table', () => {
  const columns = [
    { heading: 'NAME', of: ({ name }: { name: string }) => name },
    { heading: 'N', of: ({ name }: { name: string }) => name.length },
  ];
  const of = (...names: string[]) =>
    table(
      columns,
      names.map((name) => ({ name })),
    );

  it('aligns its columns, without blanks at the end of lines', () => {
    expect(of('a', 'longer')).toBe('NAME    N\na       1\nlonger  6');
  });

  it('counts characters by the room that they take', () => {
    expect(of('é', '日本', '🦔')).toBe('NAME  N\né     1\n日本  2\n🦔    2');
    expect(of('e\u0301')).toBe('NAME  N\ne\u0301     2');
  });

  it('is one line for each row, and leaves the terminal alone, whatever somebody is named', () => {
    expect(of('a\nb', '\u001b[31mred', '\u202egnp.exe').split('\n')).toHaveLength(4);
    expect(printable('\u001b[2J\r\n\u202e')).toBe('�[2J���');
  });
});
