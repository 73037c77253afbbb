const UNESCAPED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** The values of a line of COPY's text format, without its line feed. */
export const valuesOf = (line: string): (string | null)[] =>
  line.split('\t').map((value) => {
    if (value === '\\N') return null;
    return value.includes('\\') ? value.replace(/\\(.)/g, (_, letter) => UNESCAPED[letter] ?? letter) : value;
  });
