import { basic, extended, FileNames } from './file-names';

const delivery = {
  model: 'persons' as const,
  interval: { start: new Date('2026-01-31T23:05:00Z'), end: new Date('2026-02-01T00:05:00Z') },
};
const namesOf = (config: object) => new FileNames({ ...config }, delivery, '.jsonl.gz', extended);

describe('FileNames', () => {
  it('are those of the interval, in UTC', () => {
    const names = namesOf({ prefix: 'a' });
    expect(names.numbered(0)).toBe('2026-01-31T23:05:00+00:00-2026-02-01T00:05:00+00:00.jsonl.gz');
    expect(new FileNames({}, delivery, '.parquet', basic).numbered(0)).toBe(
      '20260131T230500Z-20260201T000500Z.parquet',
    );
  });

  it('are numbered where files have a largest size', () => {
    const names = namesOf({ max_file_size_mb: 1 });
    expect(names.numbered(12)).toBe('2026-01-31T23:05:00+00:00-2026-02-01T00:05:00+00:00-12.jsonl.gz');
    expect(names.manifest).toBe('2026-01-31T23:05:00+00:00-2026-02-01T00:05:00+00:00_manifest.json');
  });

  it.each([
    ['a/{year}/{month}/{day}/{hour}/{minute}/{table}', 'a/2026/01/31/23/05/persons'],
    ['/a/', 'a/'],
    ['//', ''],
    ['{year}-{year}{yaer}{}', '2026-2026{yaer}{}'],
    ['{constructor}{table', '{constructor}{table'],
  ])('have the prefix %s as %s', (prefix, filledIn) => {
    expect(namesOf({ prefix }).prefix).toBe(filledIn);
  });

  it('know those that other attempts of the same run may have made, and no others', () => {
    const numbered = namesOf({ max_file_size_mb: 1 });
    const one = namesOf({});
    const { base } = one;
    expect(
      [`${base}-0.jsonl.gz`, `${base}-107.jsonl.gz`, `${base}_manifest.json`].every((n) =>
        numbered.include(n),
      ),
    ).toBe(true);
    expect(one.include(`${base}.jsonl.gz`)).toBe(true);
    for (const other of [
      `${base}-0.parquet`,
      `${base}-.jsonl.gz`,
      `${base}-0x.jsonl.gz`,
      `x${base}-0.jsonl.gz`,
      '',
    ]) {
      expect([other, numbered.include(other), one.include(other)]).toEqual([other, false, false]);
    }
    expect(numbered.include(`${base}.jsonl.gz`)).toBe(false);
    expect(one.include(`${base}-0.jsonl.gz`)).toBe(false);
  });
});
