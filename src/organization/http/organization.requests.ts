import { PartialType } from '@nestjs/swagger';
import { SCOPES } from '../../identity/index';
import { Bool, List, Text, textCheck, Uuid } from '../../shared/http/fields/index';
import type { OrganizationDetails } from '../domain/organization';

export class CreateOrganizationRequest {
  @Text({
    required: true,
    trim: true,
    max: 64,
    description: 'Name of the organization.',
    example: 'Hedgerow Ltd',
  })
  name!: string;

  @Uuid({
    nullable: true,
    description: 'Id of the logo in your media store; Hedgerow keeps the id alone.',
    example: '0195b1f4-7c1c-7000-8000-0123456789ab',
  })
  logo_media_id?: string | null;

  @Bool({ description: 'Whether members get an e-mail when somebody joins.', example: true, default: true })
  is_member_join_email_enabled?: boolean;

  @Bool({
    nullable: true,
    description: 'Whether members must use two factors; null: not decided.',
    example: null,
  })
  enforce_2fa?: boolean | null;

  @List({
    nullable: true,
    max: 100,
    items: { type: 'string', enum: SCOPES },
    item: textCheck({ max: 100 }),
    description:
      'The widest scopes that keys have in the organization and its projects, whatever they carry, from now on and for ' +
      'everybody; null or `*`: whatever they carry. Owners can change this field whatever it is.',
    example: null,
  })
  max_key_scopes?: string[] | null;
}

export class UpdateOrganizationRequest extends PartialType(CreateOrganizationRequest, {
  skipNullProperties: false,
}) {}

export function detailsOf<B extends UpdateOrganizationRequest>(
  body: B,
): OrganizationDetails & Pick<B, 'name'> {
  return {
    name: body.name,
    logoMediaId: body.logo_media_id,
    isMemberJoinEmailEnabled: body.is_member_join_email_enabled,
    enforce2fa: body.enforce_2fa,
    maxKeyScopes: body.max_key_scopes,
  };
}
