import { PartialType } from '@nestjs/swagger';
import { Bool, Choice, Text } from '../../shared/http/fields/index';
import { DOMAIN_NAME } from '../domain/domain-name';
import { type DomainDetails, SSO_ENFORCEMENTS, type SsoEnforcement } from '../domain/organization-domain';
import { isCertificate, isWebUrl } from '../domain/saml';

export class CreateDomainRequest {
  @Text({
    required: true,
    trim: true,
    max: 128,
    pattern: { source: DOMAIN_NAME, detail: 'Please enter a valid domain or subdomain name.' },
    description:
      'The domain, in lower case. Another one has to be verified anew, and until then neither SSO nor JIT holds.',
    example: 'hedgerow.example.com',
  })
  domain!: string;

  @Bool({
    default: false,
    description:
      'Whether people with an address in the domain may join without an invite. Ignored on create; refused until ' +
      'the domain is verified.',
    example: true,
  })
  jit_provisioning_enabled?: boolean;

  @Choice({
    choices: SSO_ENFORCEMENTS,
    default: '',
    description:
      'What people with an address in the domain must sign in with; empty: nothing in particular. `saml` needs all ' +
      'three SAML fields. Ignored on create; refused until the domain is verified.',
    example: 'google-oauth2',
  })
  sso_enforcement?: SsoEnforcement;

  @Text({
    nullable: true,
    blank: true,
    trim: true,
    max: 512,
    description: 'Entity id of the SAML identity provider.',
    example: 'https://idp.example.com/metadata',
  })
  saml_entity_id?: string | null;

  @Text({
    nullable: true,
    blank: true,
    trim: true,
    max: 512,
    check: { passes: isWebUrl, detail: 'Enter a valid http or https URL.' },
    description: 'The http or https URL at which the SAML identity provider takes sign-in requests.',
    example: 'https://idp.example.com/sso',
  })
  saml_acs_url?: string | null;

  @Text({
    nullable: true,
    blank: true,
    max: 20_000,
    check: { passes: isCertificate, detail: 'Enter a valid X.509 certificate, without its private key.' },
    description:
      "The X.509 certificate of the SAML identity provider, in PEM or as bare base64. It isn't secret.",
    example: null,
  })
  saml_x509_cert?: string | null;
}

export class UpdateDomainRequest extends PartialType(CreateDomainRequest, { skipNullProperties: false }) {}

export function detailsOf<B extends UpdateDomainRequest>(body: B): DomainDetails & Pick<B, 'domain'> {
  return {
    domain: body.domain,
    jitProvisioningEnabled: body.jit_provisioning_enabled,
    ssoEnforcement: body.sso_enforcement,
    samlEntityId: body.saml_entity_id,
    samlAcsUrl: body.saml_acs_url,
    samlX509Cert: body.saml_x509_cert,
  };
}
