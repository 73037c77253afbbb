import { randomBytes } from 'node:crypto';
import { AlreadyVerified, SamlIncomplete, VerificationRequired } from './organization-domain.errors';

const CHALLENGE_BYTES = 32;

/** Who signs people in whose address is in the domain; empty: nobody is made to use anything (D20). */
export const SSO_ENFORCEMENTS = ['', 'google-oauth2', 'github', 'gitlab', 'saml'] as const;
export type SsoEnforcement = (typeof SSO_ENFORCEMENTS)[number];

/** The identity provider's side of SAML. */
export interface SamlDetails {
  readonly samlEntityId?: string | null;
  readonly samlAcsUrl?: string | null;
  readonly samlX509Cert?: string | null;
}

/** What a caller may change; absent fields stay as they are. */
export interface DomainDetails extends SamlDetails {
  readonly domain?: string;
  readonly jitProvisioningEnabled?: boolean;
  readonly ssoEnforcement?: SsoEnforcement;
}

/** What proves that a domain is its organization's: a TXT record of `host` that reads `text` (DOM-16). */
export interface Challenge {
  readonly host: string;
  readonly text: string;
}

/** A domain that an organization claims, and what holds for people whose address is in it once it is verified. */
export class OrganizationDomain {
  private verifiedAt: Date | null = null;
  private verificationChallenge: string;
  private jitProvisioningEnabled = false;
  private ssoEnforcement: SsoEnforcement = '';
  private samlEntityId: string | null = null;
  private samlAcsUrl: string | null = null;
  private samlX509Cert: string | null = null;

  private constructor(
    readonly id: string,
    readonly organizationId: string,
    private domain: string,
  ) {
    this.verificationChallenge = newChallenge();
  }

  /** Not verified, and so without SSO and JIT; SAML may be prepared before (DOM-04, DOM-09). */
  static claim(id: string, organizationId: string, domain: string, saml: SamlDetails): OrganizationDomain {
    const claimed = new OrganizationDomain(id, organizationId, domain);
    claimed.prepareSaml(saml);
    return claimed;
  }

  /** @throws AlreadyVerified (DOM-18) */
  get openChallenge(): Challenge {
    if (this.verifiedAt !== null) throw new AlreadyVerified();
    return { host: `_posthog-challenge.${this.domain}`, text: this.verificationChallenge };
  }

  /**
   * Verified when the TXT records of `host` hold the challenge. Records of another host prove nothing: while they
   * were looked up, the domain may have become another one with a challenge of its own.
   * @throws AlreadyVerified (DOM-18)
   */
  verify(host: string, records: readonly string[], at: Date): void {
    const challenge = this.openChallenge;
    if (challenge.host === host && records.includes(challenge.text)) this.verifiedAt = at;
  }

  /**
   * Another domain has to be verified anew, and until then neither SSO nor JIT holds (D20).
   * @throws VerificationRequired when SSO or JIT is given, whatever the value, while not verified (DOM-10)
   * @throws SamlIncomplete when SAML would be enforced without all of its three fields (D20)
   */
  change(details: DomainDetails): void {
    if (details.domain !== undefined && details.domain !== this.domain) this.move(details.domain);
    if (this.verifiedAt === null) refuseUnverified(details);
    this.jitProvisioningEnabled = details.jitProvisioningEnabled ?? this.jitProvisioningEnabled;
    this.ssoEnforcement = details.ssoEnforcement ?? this.ssoEnforcement;
    this.prepareSaml(details);
    this.refuseIncompleteSaml(details);
  }

  /**
   * As `change`, of a whole domain sent back: it carries SSO and JIT whether they are meant or not, so only another
   * value than the one in force counts as given (D4).
   */
  replace(details: DomainDetails): void {
    const { jitProvisioningEnabled, ssoEnforcement } = details;
    this.change({
      ...details,
      jitProvisioningEnabled:
        jitProvisioningEnabled === this.jitProvisioningEnabled ? undefined : jitProvisioningEnabled,
      ssoEnforcement: ssoEnforcement === this.ssoEnforcement ? undefined : ssoEnforcement,
    });
  }

  private move(domain: string): void {
    this.domain = domain;
    this.verifiedAt = null;
    this.verificationChallenge = newChallenge();
    this.jitProvisioningEnabled = false;
    this.ssoEnforcement = '';
  }

  private prepareSaml({ samlEntityId, samlAcsUrl, samlX509Cert }: SamlDetails): void {
    if (samlEntityId !== undefined) this.samlEntityId = samlEntityId;
    if (samlAcsUrl !== undefined) this.samlAcsUrl = samlAcsUrl;
    if (samlX509Cert !== undefined) this.samlX509Cert = samlX509Cert;
  }

  /** To blame is the field that asks for SAML, or the one that takes a part of it away. */
  private refuseIncompleteSaml(details: DomainDetails): void {
    if (this.ssoEnforcement !== 'saml') return;
    const parts = {
      saml_entity_id: this.samlEntityId,
      saml_acs_url: this.samlAcsUrl,
      saml_x509_cert: this.samlX509Cert,
    };
    const [missing] = Object.entries(parts).find(([, value]) => !value) ?? [];
    if (missing === undefined) return;
    throw new SamlIncomplete(details.ssoEnforcement === undefined ? missing : 'sso_enforcement');
  }
}

/** 32 random bytes in the alphabet of URLs: 43 characters (DOM-01). */
const newChallenge = (): string => randomBytes(CHALLENGE_BYTES).toString('base64url');

function refuseUnverified({ jitProvisioningEnabled, ssoEnforcement }: DomainDetails): void {
  if (jitProvisioningEnabled !== undefined) throw new VerificationRequired('jit_provisioning_enabled');
  if (ssoEnforcement !== undefined) throw new VerificationRequired('sso_enforcement');
}
