import { OrganizationDomain } from './organization-domain';

const AT = new Date('2025-03-01T09:30:00Z');
const SAML = { samlEntityId: 'id', samlAcsUrl: 'https://idp.example.com', samlX509Cert: 'cert' };

/** What is stored of it. */
const stateOf = (domain: OrganizationDomain) => ({ ...domain }) as unknown as Record<string, unknown>;

function claimed(saml = {}): OrganizationDomain {
  return OrganizationDomain.claim('id', 'organization', 'example.com', saml);
}

function verified(saml = {}): OrganizationDomain {
  const domain = claimed(saml);
  const { host, text } = domain.openChallenge;
  domain.verify(host, [text], AT);
  return domain;
}

describe('OrganizationDomain', () => {
  it('starts without verification, SSO and JIT, with a challenge of its own (DOM-01, DOM-04)', () => {
    const domain = claimed();
    expect(stateOf(domain)).toMatchObject({
      verifiedAt: null,
      jitProvisioningEnabled: false,
      ssoEnforcement: '',
      samlEntityId: null,
      samlAcsUrl: null,
      samlX509Cert: null,
    });
    expect(domain.openChallenge.text).toMatch(/^[\w-]{43}$/);
    expect(domain.openChallenge.text).not.toBe(claimed().openChallenge.text);
  });

  it('takes SAML fields at any time (DOM-09)', () => {
    expect(stateOf(claimed(SAML))).toMatchObject(SAML);
    const domain = claimed(SAML);
    domain.change({ samlEntityId: null, samlX509Cert: '' });
    expect(stateOf(domain)).toMatchObject({ ...SAML, samlEntityId: null, samlX509Cert: '' });
  });

  describe('verification', () => {
    it('looks for the challenge among the records of its host (DOM-16)', () => {
      const domain = claimed();
      const { host, text } = domain.openChallenge;
      expect(host).toBe('_posthog-challenge.example.com');
      domain.verify(host, ['v=spf1 -all', text], AT);
      expect(stateOf(domain).verifiedAt).toBe(AT);
    });

    it('does not take anything else for it (DOM-17)', () => {
      const domain = claimed();
      const { host, text } = domain.openChallenge;
      domain.verify(host, [], AT);
      domain.verify(host, ['', ` ${text}`, `"${text}"`, text.toLowerCase(), text.slice(0, -1)], AT);
      expect(stateOf(domain).verifiedAt).toBeNull();
    });

    it('does not take the right record of another host', () => {
      const domain = claimed();
      const { host } = domain.openChallenge;
      domain.change({ domain: 'victim.com' });
      domain.verify(host, [domain.openChallenge.text], AT);
      expect(stateOf(domain).verifiedAt).toBeNull();
    });

    it('happens once (DOM-18)', () => {
      const domain = verified();
      expect(() => domain.openChallenge).toThrow('This domain has already been verified.');
      expect(() => domain.verify('', [], AT)).toThrow(
        expect.objectContaining({ code: 'already_verified', attr: null }),
      );
    });
  });

  describe('SSO and JIT', () => {
    it.each([
      [{ jitProvisioningEnabled: true }, 'jit_provisioning_enabled'],
      [{ jitProvisioningEnabled: false }, 'jit_provisioning_enabled'],
      [{ ssoEnforcement: 'github' as const }, 'sso_enforcement'],
      [{ ssoEnforcement: '' as const }, 'sso_enforcement'],
    ])('need a verified domain, whatever the value: %j (DOM-10)', (details, attr) => {
      expect(() => claimed().change(details)).toThrow(
        expect.objectContaining({ code: 'verification_required', attr }),
      );
    });

    it('are set on a verified domain, and stay when they are not given (DOM-11)', () => {
      const domain = verified();
      domain.change({ jitProvisioningEnabled: true, ssoEnforcement: 'google-oauth2' });
      domain.change({});
      expect(stateOf(domain)).toMatchObject({
        jitProvisioningEnabled: true,
        ssoEnforcement: 'google-oauth2',
      });
    });

    it.each(['samlEntityId', 'samlAcsUrl', 'samlX509Cert'])('enforce SAML only with %s (D20)', (part) => {
      for (const value of [null, '', undefined]) {
        const domain = verified({ ...SAML, [part]: value });
        expect(() => domain.change({ ssoEnforcement: 'saml' })).toThrow(
          expect.objectContaining({ attr: 'sso_enforcement' }),
        );
      }
    });

    it.each([
      ['samlEntityId', 'saml_entity_id'],
      ['samlAcsUrl', 'saml_acs_url'],
      ['samlX509Cert', 'saml_x509_cert'],
    ])('keep %s while SAML is enforced (D20)', (part, attr) => {
      const domain = verified(SAML);
      domain.change({ ssoEnforcement: 'saml' });
      expect(() => domain.change({ [part]: '' })).toThrow(expect.objectContaining({ attr }));
      expect(() => domain.change({ [part]: null })).toThrow(expect.objectContaining({ attr }));
    });

    it('let go of SAML and its fields in one change', () => {
      const domain = verified(SAML);
      domain.change({ ssoEnforcement: 'saml' });
      domain.change({ ssoEnforcement: '', samlEntityId: null });
      expect(stateOf(domain)).toMatchObject({ ssoEnforcement: '', samlEntityId: null });
    });
  });

  describe('another domain (D20)', () => {
    it('has to be verified anew; SSO and JIT end, SAML stays', () => {
      const domain = verified(SAML);
      domain.change({ ssoEnforcement: 'saml', jitProvisioningEnabled: true });
      const before = stateOf(domain).verificationChallenge;
      domain.change({ domain: 'other.com' });
      expect(stateOf(domain)).toMatchObject({
        domain: 'other.com',
        verifiedAt: null,
        ssoEnforcement: '',
        jitProvisioningEnabled: false,
        ...SAML,
      });
      expect(stateOf(domain).verificationChallenge).not.toBe(before);
    });

    it('is not one when it is the same', () => {
      const domain = verified();
      domain.change({ ssoEnforcement: 'github' });
      const before = stateOf(domain);
      domain.change({ domain: 'example.com' });
      expect(stateOf(domain)).toEqual(before);
    });

    it('does not carry SSO or JIT along', () => {
      expect(() => verified().change({ domain: 'other.com', jitProvisioningEnabled: true })).toThrow(
        expect.objectContaining({ code: 'verification_required', attr: 'jit_provisioning_enabled' }),
      );
    });
  });
});
