import { Action, type ActionDetails } from './action';
import { ActionNameTaken } from './action-errors';

const NOW = new Date('2025-03-01T00:00:00Z');
const LATER = new Date('2025-03-02T00:00:00Z');
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

const define = (details: ActionDetails = {}) =>
  Action.define(1, 2, { name: 'A', ...details }, NOW, () => null);
const changed = (action: Action, details: ActionDetails) => {
  action.change(details, LATER, () => null);
  return action;
};

describe('An action', () => {
  it('begins without anything but a name (ACT-01)', () => {
    expect(define()).toMatchObject({
      projectId: 1,
      createdById: 2,
      name: 'A',
      description: '',
      tags: [],
      postToSlack: false,
      slackMessageFormat: '',
      steps: [],
      createdAt: NOW,
      deleted: false,
      lastCalculatedAt: NOW,
      pinnedAt: null,
      bytecodeError: null,
    });
  });

  it('keeps what a change leaves out, and takes what it gives, empty or false too', () => {
    const given = {
      description: 'x',
      tags: ['a'],
      postToSlack: true,
      slackMessageFormat: 'y',
      steps: [{ event: 'e' }],
      deleted: true,
      lastCalculatedAt: LONG_AGO,
    };
    const action = define(given);
    const before = { ...action };
    expect(changed(action, {})).toEqual(before);
    const cleared = { description: '', tags: [], postToSlack: false, slackMessageFormat: '', steps: [] };
    expect(changed(action, { ...cleared, deleted: false })).toMatchObject({ ...cleared, deleted: false });
  });

  it('is pinned as given when new, then at the present time, once (ACT-11)', () => {
    const action = define({ pinnedAt: LONG_AGO });
    expect(action).toMatchObject({ pinnedAt: LONG_AGO });
    expect(changed(action, { pinnedAt: NOW })).toMatchObject({ pinnedAt: LONG_AGO });
    expect(changed(action, { pinnedAt: null })).toMatchObject({ pinnedAt: null });
    expect(changed(action, { pinnedAt: LONG_AGO })).toMatchObject({ pinnedAt: LATER });
    expect(changed(action, {})).toMatchObject({ pinnedAt: LATER });
  });

  it('trims tags and keeps each once, in order (D21)', () => {
    expect(define({ tags: ['b ', 'a', ' b', 'B'] })).toMatchObject({ tags: ['b', 'a', 'B'] });
  });

  it('claims its name until it is deleted (ACT-06)', () => {
    const action = define();
    expect(action.claimedName).toBe('A');
    expect(changed(action, { deleted: true }).claimedName).toBeNull();
    expect(changed(action, { deleted: false, name: 'B' }).claimedName).toBe('B');
    expect(new ActionNameTaken(7)).toMatchObject({
      code: 'unique',
      attr: 'name',
      message: 'This project already has an action with this name, ID 7',
    });
  });

  it('looks for what does not compile when its steps change (D21)', () => {
    const action = define({ steps: [{ selector: '>' }] });
    expect(action).toMatchObject({ bytecodeError: expect.stringContaining('Step 1') });
    expect(changed(action, { name: 'B' })).toMatchObject({
      bytecodeError: expect.stringContaining('Step 1'),
    });
    expect(changed(action, { steps: [] })).toMatchObject({ bytecodeError: null });
  });
});
