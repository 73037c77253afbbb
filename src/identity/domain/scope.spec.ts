import { grants, knownScopes, SCOPES, ScopesMissing, ScopeUnknown } from './scope';

describe('What a scope grants (D10)', () => {
  it.each([
    [['organization:read'], 'organization:read', true],
    [['organization:write'], 'organization:read', true],
    [['organization:read'], 'organization:write', false],
    [['organization:write'], 'organization_member:read', false],
    [['action:read', 'plugin:write'], 'plugin:read', true],
    [['*'], 'batch_export:write', true],
    [['*'], '*', true],
    [SCOPES.filter((scope) => scope !== '*'), '*', false],
    [[], 'action:read', false],
  ])('%j grants %s: %s', (scopes, required, granted) => {
    expect(grants(scopes, required)).toBe(granted);
  });
});

describe('The scopes of a key', () => {
  it('are known ones, each once and in order (KEY-05)', () => {
    expect(knownScopes(['plugin:write', 'action:read', 'plugin:write'])).toEqual([
      'plugin:write',
      'action:read',
    ]);
    expect(knownScopes(['*'])).toEqual(['*']);
  });

  it.each(['invalid', 'action', 'action:', 'action:delete', ':read', 'ACTION:read', '', '*:read'])(
    'are not %j',
    (scope) => {
      const read = () => knownScopes(['action:read', scope]);
      expect(read).toThrow(ScopeUnknown);
      expect(read).toThrow(`Invalid scope: ${scope}`);
    },
  );

  it('are at least one', () => {
    expect(() => knownScopes([])).toThrow(ScopesMissing);
  });
});
