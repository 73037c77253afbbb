import { EntityRow } from '../../shared/persistence/entity-row';
import { Action } from '../domain/action';
import { ActionSchema } from './action.schema';

describe("An action's row", () => {
  const row = new EntityRow<Action>(ActionSchema);
  const now = new Date('2025-03-01T00:00:00Z');

  it('has all that an action has: what is not mapped would be lost', () => {
    const action = Action.define(1, 2, { name: 'A', pinnedAt: now, steps: [{}] }, now, () => null);
    const selected = [...row.selected('a').matchAll(/ AS "(\w+)"/g)].map(([, property]) => property);
    expect(selected.sort()).toEqual([...Object.keys(action), 'id'].sort());
    expect(row.written(action)).not.toContain(undefined);
    expect(row.loaded({ ...action })).toStrictEqual(Object.assign(action, { id: undefined }));
  });
});
