import { Invalid } from '../../shared/domain/domain-error';

/** Whichever organization has it: no two have the same (DOM-07). */
export class DomainTaken extends Invalid {
  constructor() {
    super('domain', 'unique', 'domain with this domain already exists.');
  }
}

export class VerificationRequired extends Invalid {
  constructor(attr: 'jit_provisioning_enabled' | 'sso_enforcement') {
    super(attr, 'verification_required', 'This attribute cannot be updated until the domain is verified.');
  }
}

export class AlreadyVerified extends Invalid {
  constructor() {
    super(null, 'already_verified', 'This domain has already been verified.');
  }
}

export class SamlIncomplete extends Invalid {
  constructor(attr: string) {
    super(
      attr,
      'saml_incomplete',
      'Enforcing SAML needs saml_entity_id, saml_acs_url and saml_x509_cert, none of them empty.',
    );
  }
}
