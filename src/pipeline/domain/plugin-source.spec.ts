import { PluginSource, type SourceEdit, SourceFile, TooMuchSource } from './plugin-source';

const AT = new Date('2025-03-01T09:30:00Z');
const sourceOf = (files: Record<string, string>) =>
  new PluginSource(
    1,
    Object.entries(files).map(([name, content]) => new SourceFile(1, name, content, AT)),
  );
const editOf = (files: Record<string, string | null>): SourceEdit => new Map(Object.entries(files));

describe('PluginSource', () => {
  it('adds, changes and deletes the files that are named, and tells what changed (PLUG-23)', () => {
    const source = sourceOf({ a: '1', b: '2', c: '3', d: '4' });
    const changes = source.edit(editOf({ a: '1', b: 'two', c: null, e: '', none: null }), AT);
    expect(changes).toEqual([
      { filename: 'b', action: 'changed' },
      { filename: 'c', action: 'deleted' },
      { filename: 'e', action: 'created' },
    ]);
    expect(['a', 'b', 'c', 'd', 'e'].map((name) => source.file(name)?.content ?? null)).toEqual([
      '1',
      'two',
      null,
      '4',
      '',
    ]);
  });

  it('has at most 100 files, counted after the edit', () => {
    const full = () =>
      sourceOf(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, ''])));
    expect(() => full().edit(editOf({ more: '' }), AT)).toThrow(TooMuchSource);
    expect(full().edit(editOf({ more: '', f0: null }), AT)).toHaveLength(2);
  });

  it('has at most 5,000,000 characters, counted after the edit', () => {
    const large = () => sourceOf({ a: 'x'.repeat(4_000_000), b: 'x'.repeat(1_000_000) });
    expect(() => large().edit(editOf({ c: 'x' }), AT)).toThrow(TooMuchSource);
    expect(large().edit(editOf({ c: 'x', b: 'x' }), AT)).toHaveLength(2);
  });

  it('is replaced by a whole of files', () => {
    const source = sourceOf({ a: '1', b: '2', c: '3' });
    expect(source.replace(new Map(Object.entries({ a: '1', b: 'two', d: '' })), AT)).toEqual([
      { filename: 'c', action: 'deleted' },
      { filename: 'b', action: 'changed' },
      { filename: 'd', action: 'created' },
    ]);
    expect(Object.fromEntries(source.contents)).toEqual({ a: '1', b: 'two', d: '' });
  });

  it('notes what became of its files, and of which that is new', () => {
    const source = sourceOf({ a: '1', b: '2', c: '3' });
    const became = (outcomes: Record<string, { transpiled: string | null; error: string | null }>) =>
      source.compiled({ outcomes: new Map(Object.entries(outcomes)), capabilities: null });
    const good = { transpiled: 'code', error: null };
    const bad = { transpiled: null, error: 'Line 1' };
    expect(became({ a: good, b: bad, none: good })).toEqual(['a', 'b']);
    expect(source.file('a')).toMatchObject({ status: 'TRANSPILED', transpiled: 'code', error: null });
    expect(source.file('b')).toMatchObject({ status: 'ERROR', transpiled: null, error: 'Line 1' });
    expect(source.file('c')).toMatchObject({ status: null, transpiled: null, error: null });
    expect(became({ a: good, b: good })).toEqual(['b']);
    expect(became({ b: good })).toEqual(['a']);
    expect(source.file('a')).toMatchObject({ status: null });
  });
});
