import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EmbeddedUserResponse, PersonalApiKeyResponse } from '../../identity/index';

@ApiSchema({ name: 'Offer', description: 'What an invite tells whoever holds its link.' })
export class OfferResponse {
  @ApiProperty({
    format: 'uuid',
    example: '0195b1f4-7c1c-7000-8000-0123456789ab',
    description: 'Id of the invite.',
  })
  id!: string;

  @ApiProperty({ format: 'email', example: 'grace@example.com', description: 'Who is invited.' })
  target_email!: string;

  @ApiProperty({ example: 'Grace', description: 'First name as the invite has it, or empty.' })
  first_name!: string;

  @ApiProperty({ example: 'Hedgerow Ltd', description: 'Name of the organization.' })
  organization_name!: string;
}

@ApiSchema({ name: 'JoinedOrganization', description: 'The organization that an invite led to.' })
export class JoinedOrganizationResponse {
  @ApiProperty({ format: 'uuid', example: '0195b1f4-7c1c-7000-8000-0123456789ab', description: 'Id.' })
  id!: string;

  @ApiProperty({ example: 'Hedgerow Ltd', description: 'Name.' })
  name!: string;
}

@ApiSchema({ name: 'SignedUp', description: 'Who has joined, and where.' })
export class SignedUpResponse {
  @ApiProperty({ type: EmbeddedUserResponse, description: 'The user who has joined.' })
  user!: EmbeddedUserResponse;

  @ApiProperty({ type: JoinedOrganizationResponse, description: 'The organization they have joined.' })
  organization!: JoinedOrganizationResponse;

  @ApiProperty({
    type: PersonalApiKeyResponse,
    nullable: true,
    description:
      'The key of the new account, of scope `*`, with its `value`, which is shown this once; null for a caller ' +
      'who has a key. The `max_key_scopes` of an organization bound what it may do there.',
  })
  personal_api_key!: PersonalApiKeyResponse | null;
}
