import {
  changed,
  ExpiryBeyondKey,
  type KeyGrant,
  OrganizationIdMalformed,
  OrganizationsBeyondKey,
  refuseBeyond,
  ScopeBeyondKey,
  TeamsBeyondKey,
  tidied,
} from './key-grant';

const A = '0195b1f4-7c1c-7000-8000-00000000000a';
const B = '0195b1f4-7c1c-7000-8000-00000000000b';
const SOON = new Date('2025-03-01T00:00:00Z');
const LATER = new Date('2025-03-02T00:00:00Z');

const grant = (parts: Partial<KeyGrant> = {}): KeyGrant => ({
  label: 'Test',
  scopes: ['*'],
  scopedOrganizations: [],
  scopedTeams: [],
  expiresAt: null,
  ...parts,
});

describe('A key gives nothing that it does not have', () => {
  it.each([
    ['everything', {}, {}],
    ['a scope of its own', { scopes: ['action:read', 'plugin:read'] }, { scopes: ['plugin:read'] }],
    ['reading, where it may write', { scopes: ['action:write'] }, { scopes: ['action:read'] }],
    ['one of its organizations', { scopedOrganizations: [A, B] }, { scopedOrganizations: [B] }],
    ['a restriction it does not have', {}, { scopedOrganizations: [A], scopedTeams: [1] }],
    ['some of its projects', { scopedTeams: [1, 2, 3] }, { scopedTeams: [3, 1] }],
    ['its own time', { expiresAt: SOON }, { expiresAt: new Date(SOON) }],
    ['less time', { expiresAt: LATER }, { expiresAt: SOON }],
  ])('but %s', (_, by, asked) => {
    expect(() => refuseBeyond(grant(by), grant(asked))).not.toThrow();
  });

  it.each<[string, Partial<KeyGrant>, Partial<KeyGrant>, new (...values: never[]) => Error]>([
    [
      'another scope',
      { scopes: ['action:read'] },
      { scopes: ['action:read', 'plugin:read'] },
      ScopeBeyondKey,
    ],
    ['writing, where it may read', { scopes: ['action:read'] }, { scopes: ['action:write'] }, ScopeBeyondKey],
    ['every scope', { scopes: ['action:write'] }, { scopes: ['*'] }, ScopeBeyondKey],
    [
      'another organization',
      { scopedOrganizations: [A] },
      { scopedOrganizations: [A, B] },
      OrganizationsBeyondKey,
    ],
    ['all organizations', { scopedOrganizations: [A] }, { scopedOrganizations: [] }, OrganizationsBeyondKey],
    ['another project', { scopedTeams: [1] }, { scopedTeams: [2] }, TeamsBeyondKey],
    ['all projects', { scopedTeams: [1] }, { scopedTeams: [] }, TeamsBeyondKey],
    ['more time', { expiresAt: SOON }, { expiresAt: LATER }, ExpiryBeyondKey],
    ['all time', { expiresAt: SOON }, { expiresAt: null }, ExpiryBeyondKey],
  ])('not %s', (_, by, asked, refusal) => {
    expect(() => refuseBeyond(grant(by), grant(asked))).toThrow(refusal);
  });

  it('and says which scope was too much', () => {
    expect(() =>
      refuseBeyond(grant({ scopes: ['action:read'] }), grant({ scopes: ['plugin:write'] })),
    ).toThrow("'plugin:write'");
  });
});

describe('What is asked for', () => {
  it('is kept without repetitions, ids in lower case', () => {
    expect(
      tidied({ scopes: ['*', '*'], scopedOrganizations: [A.toUpperCase(), A], scopedTeams: [2, 1, 2] }),
    ).toEqual({ scopes: ['*'], scopedOrganizations: [A], scopedTeams: [2, 1] });
    expect(tidied({ label: 'Test' })).toEqual({ label: 'Test' });
  });

  it.each(['x', '', `${A}0`, A.replaceAll('-', ''), `{${A}}`, `${A}\n`])('is no organization: %j', (id) => {
    expect(() => tidied({ scopedOrganizations: [A, id] })).toThrow(OrganizationIdMalformed);
  });

  it('takes the place of what there was; what is absent stays, null is a value', () => {
    const before = grant({ scopedTeams: [1], expiresAt: SOON });
    expect(changed(before, { label: undefined, scopes: undefined, expiresAt: undefined })).toEqual(before);
    expect(changed(before, { expiresAt: null, scopedTeams: [] })).toEqual(grant());
  });
});
