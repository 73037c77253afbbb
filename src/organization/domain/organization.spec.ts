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
    organization.change({ logoMediaId: LOGO, enforce2fa: true, isMemberJoinEmailEnabled: false }, LATER);
    const changed = { logoMediaId: LOGO, enforce2fa: true, isMemberJoinEmailEnabled: false };
    expect(stateOf(organization)).toMatchObject({
      ...changed,
      name: 'Test',
      createdAt: AT,
      updatedAt: LATER,
    });
    organization.change({}, LATER);
    expect(stateOf(organization)).toMatchObject(changed);
    organization.change({ logoMediaId: null, enforce2fa: null }, LATER);
    expect(stateOf(organization)).toMatchObject({ logoMediaId: null, enforce2fa: null });
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
