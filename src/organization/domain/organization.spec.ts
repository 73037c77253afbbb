import { PluginsAccess } from '../../shared/domain/level';
import { Organization } from './organization';

const AT = new Date('2025-03-01T09:30:00Z');
const LATER = new Date('2025-03-02T09:30:00Z');
const LOGO = '0195b1f4-7c1c-7000-8000-0123456789ab';

const stateOf = (organization: Organization) => ({ ...organization }) as unknown as Record<string, unknown>;

describe('Organization', () => {
  it('starts with the defaults (ORG-05, D15)', () => {
    expect(stateOf(Organization.found('id', 'Test', AT))).toEqual({
      id: 'id',
      name: 'Test',
      slugText: 'test',
      logoMediaId: null,
      customerId: null,
      isMemberJoinEmailEnabled: true,
      enforce2fa: null,
      maxKeyScopes: null,
      pluginsAccessLevel: PluginsAccess.Install,
      metadata: {},
      createdAt: AT,
      updatedAt: AT,
    });
  });

  it('has root access to plugins when it is the first (D15)', () => {
    expect(stateOf(Organization.found('id', 'Test', AT, PluginsAccess.Root)).pluginsAccessLevel).toBe(9);
  });

  it('changes what is given, and tells null from absent', () => {
    const organization = Organization.found('id', 'Test', AT);
    const changed = {
      logoMediaId: LOGO,
      enforce2fa: true,
      isMemberJoinEmailEnabled: false,
      maxKeyScopes: ['action:read'],
    };
    organization.change(changed, LATER);
    expect(stateOf(organization)).toMatchObject({
      ...changed,
      name: 'Test',
      createdAt: AT,
      updatedAt: LATER,
    });
    organization.change({}, LATER);
    expect(stateOf(organization)).toMatchObject(changed);
    const none = { logoMediaId: null, enforce2fa: null, maxKeyScopes: null };
    organization.change(none, LATER);
    expect(stateOf(organization)).toMatchObject(none);
  });

  it('keeps its slug when it is renamed, and varies it after a collision (ORG-12)', () => {
    const organization = Organization.found('id', 'Test', AT);
    organization.change({ name: 'Other' }, LATER);
    expect([stateOf(organization).name, organization.slug]).toEqual(['Other', 'test']);
    const another = Organization.found('id', 'Test', AT);
    another.takeAnotherSlug();
    expect(another.slug).toMatch(/^test-[a-z]{4}$/);
  });
});
