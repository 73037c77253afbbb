import { createHash } from 'node:crypto';
import { ExpiryInThePast, type KeyGrant, ScopeBeyondKey } from './key-grant';
import { hashOfSecret, PersonalApiKey, randomBase62, TooManyKeys } from './personal-api-key';

const NOW = new Date('2025-03-01T12:00:00Z');
const BEFORE = new Date('2025-03-01T11:59:59Z');
const AFTER = new Date('2025-03-01T12:00:01Z');

const grant = (parts: Partial<KeyGrant> = {}): KeyGrant => ({
  label: 'Test',
  scopes: ['action:read'],
  scopedOrganizations: [],
  scopedTeams: [],
  expiresAt: null,
  ...parts,
});
const ALL = grant({ scopes: ['*'] });

const delegate = (by: KeyGrant, asked: KeyGrant, siblings = 0) =>
  PersonalApiKey.delegate(by, siblings, { id: 'an id', userId: 1, value: 'phx_secret-value' }, asked, NOW);
const issue = (has: KeyGrant) => PersonalApiKey.issue('an id', 1, 'phx_secret-value', has, BEFORE);
/** What of a key is stored. */
const stored = (key: PersonalApiKey) => ({ ...(key as unknown as Record<string, unknown>) });

describe('The value of a key', () => {
  it('is phx_ and 35 random bytes in base 62 (KEY-03)', () => {
    const values = Array.from({ length: 50 }, () => PersonalApiKey.newValue());
    expect(new Set(values).size).toBe(50);
    for (const value of values) expect(value).toMatch(/^phx_[0-9A-Za-z]{40,48}$/);
  });

  it('is kept as its SHA-256 and its ends alone (D11, KEY-02)', () => {
    const fields = stored(issue(grant()));
    expect(fields.valueHash).toEqual(createHash('sha256').update('phx_secret-value').digest());
    expect(fields.maskValue).toBe('phx_...alue');
    expect(JSON.stringify(fields)).not.toContain('secret');
  });

  it('is another one after rolling', () => {
    const key = issue(grant());
    key.roll('phx_another-one', ALL, NOW);
    expect(stored(key)).toMatchObject({
      valueHash: hashOfSecret('phx_another-one'),
      maskValue: 'phx_...-one',
      lastRolledAt: NOW,
    });
  });

  it('is not handed to the holder of a narrower key', () => {
    const key = issue(ALL);
    expect(() => key.roll('phx_another-one', grant(), NOW)).toThrow(ScopeBeyondKey);
    expect(stored(key).valueHash).toEqual(hashOfSecret('phx_secret-value'));
  });
});

it('Random text in base 62 has only digits and letters', () => {
  expect(randomBase62(1000)).toMatch(/^[0-9A-Za-z]+$/);
});

describe('A key made with another', () => {
  it('grants what was asked for', () => {
    expect(delegate(ALL, grant({ scopedTeams: [1] })).grant()).toEqual(grant({ scopedTeams: [1] }));
  });

  it('has at most 99 siblings (KEY-07)', () => {
    expect(delegate(ALL, grant(), 99).grant()).toEqual(grant());
    expect(() => delegate(ALL, grant(), 100)).toThrow(TooManyKeys);
  });

  it('expires in the future, if ever', () => {
    expect(() => delegate(ALL, grant({ expiresAt: NOW }))).toThrow(ExpiryInThePast);
    expect(delegate(ALL, grant({ expiresAt: AFTER })).grant().expiresAt).toEqual(AFTER);
  });

  it('does not grant more', () => {
    expect(() => delegate(grant(), ALL)).toThrow(ScopeBeyondKey);
  });
});

describe('Changing a key', () => {
  it('changes what is given', () => {
    const key = issue(grant({ scopedTeams: [1] }));
    key.change({ label: 'Other', scopes: ['plugin:write'] }, ALL, NOW);
    expect(key.grant()).toEqual(grant({ label: 'Other', scopes: ['plugin:write'], scopedTeams: [1] }));
  });

  it('cannot widen it beyond the calling key, which may be itself', () => {
    const key = issue(grant());
    expect(() => key.change({ scopes: ['action:write'] }, key.grant(), NOW)).toThrow(ScopeBeyondKey);
    expect(key.grant()).toEqual(grant());
  });

  it('needs a key that is no narrower than it is', () => {
    const key = issue(ALL);
    expect(() => key.change({ label: 'Mine' }, grant(), NOW)).toThrow(ScopeBeyondKey);
    expect(() => key.change({ scopes: ['action:read'] }, grant(), NOW)).toThrow(ScopeBeyondKey);
    expect(key.grant()).toEqual(ALL);
  });

  it('cannot make it expire in the past, but may leave it expired', () => {
    const key = issue(grant({ expiresAt: BEFORE }));
    key.change({ label: 'Other', expiresAt: new Date(BEFORE) }, ALL, NOW);
    expect(key.grant()).toEqual(grant({ label: 'Other', expiresAt: BEFORE }));
    expect(() => key.change({ expiresAt: NOW }, ALL, NOW)).toThrow(ExpiryInThePast);
    key.change({ expiresAt: null }, ALL, NOW);
    expect(key.grant().expiresAt).toBeNull();
  });
});
