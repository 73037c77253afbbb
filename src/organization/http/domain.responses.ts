import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { SSO_ENFORCEMENTS } from '../domain/organization-domain';

@ApiSchema({ name: 'Domain', description: 'A domain that an organization claims.' })
export class DomainResponse {
  @ApiProperty({ format: 'uuid', example: '0195b1f4-7c1c-7000-8000-0123456789ab', description: 'Id.' })
  id!: string;

  @ApiProperty({ example: 'hedgerow.example.com', description: 'The domain.' })
  domain!: string;

  @ApiProperty({ example: false, description: 'Whether it has been proven that the domain is yours.' })
  is_verified!: boolean;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'When that was proven; null: not yet.',
  })
  verified_at!: string | null;

  @ApiProperty({
    example: 'Jb0lXyy2U0pDGzFRzyTTpMtRgT7rGDnN0RhGJqZ4rMs',
    description: 'What the TXT record of `_posthog-challenge.<domain>` must read.',
  })
  verification_challenge!: string;

  @ApiProperty({
    example: false,
    description: 'Whether people with an address in the domain may join without an invite.',
  })
  jit_provisioning_enabled!: boolean;

  @ApiProperty({
    type: 'string',
    enum: SSO_ENFORCEMENTS,
    example: '',
    description: 'What people with an address in the domain must sign in with; empty: nothing in particular.',
  })
  sso_enforcement!: string;

  @ApiProperty({ example: false, description: 'Whether all three SAML fields are set.' })
  has_saml!: boolean;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'Entity id of the SAML identity provider.',
  })
  saml_entity_id!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'The URL at which the SAML identity provider takes sign-in requests.',
  })
  saml_acs_url!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'The X.509 certificate of the SAML identity provider.',
  })
  saml_x509_cert!: string | null;
}
