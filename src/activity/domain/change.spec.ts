import { changesBetween } from './change';

describe('changesBetween', () => {
  it('tells the fields that differ, and how', () => {
    const before = { id: 1, name: 'a', tag: null, icon: 'x', metrics: { a: 1, b: 2 } };
    const after = { id: 1, name: 'b', tag: 'v1', icon: null, metrics: { b: 2, a: 1 } };
    expect(changesBetween(before, after)).toEqual([
      { field: 'name', action: 'changed', before: 'a', after: 'b' },
      { field: 'tag', action: 'created', before: null, after: 'v1' },
      { field: 'icon', action: 'deleted', before: 'x', after: null },
    ]);
  });

  it('tells of a long value only that it changed', () => {
    const long = 'x'.repeat(10_001);
    expect(changesBetween({ description: 'short' }, { description: long })).toEqual([
      { field: 'description', action: 'changed', before: 'short', after: null },
    ]);
  });

  it('is empty when nothing changed', () => {
    expect(changesBetween({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toEqual([]);
  });
});
