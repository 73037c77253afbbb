import { cellsOf } from './action-table';

describe('The cells of an action', () => {
  it('are named by the way to them', () => {
    const action = {
      id: 7,
      created_by: { email: 'a@example.com' },
      steps: [{ event: null, properties: [{ key: 'k' }] }],
    };
    expect([...cellsOf(action)]).toEqual([
      ['id', 7],
      ['created_by.email', 'a@example.com'],
      ['steps.0.event', null],
      ['steps.0.properties.0.key', 'k'],
    ]);
  });

  it('are those of what is not empty', () => {
    expect([...cellsOf({ tags: [], steps: [{}], name: '' }).keys()]).toEqual(['name']);
  });

  it('come from lists by position, also within lists', () => {
    expect([...cellsOf({ tags: ['x', 'y'], nested: [[true], [[0]]] })]).toEqual([
      ['tags.0', 'x'],
      ['tags.1', 'y'],
      ['nested.0.0', true],
      ['nested.1.0.0', 0],
    ]);
  });
});
