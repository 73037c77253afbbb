import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EmbeddedUserResponse } from '../../identity/index';

@ApiSchema({ name: 'Member', description: 'That a user belongs to an organization, and at what level.' })
export class MemberResponse {
  @ApiProperty({
    format: 'uuid',
    example: '0195b1f4-7c1c-7000-8000-0123456789ab',
    description: 'Id of the membership; paths name a member by the UUID of the user.',
  })
  id!: string;

  @ApiProperty({ type: EmbeddedUserResponse, description: 'The user.' })
  user!: EmbeddedUserResponse;

  @ApiProperty({
    type: 'integer',
    enum: [1, 8, 15],
    example: 1,
    description: '1 member, 8 administrator, 15 owner.',
  })
  level!: number;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00.250000Z',
    description: 'When the user joined.',
  })
  joined_at!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00.250000Z',
    description: 'When the membership last changed.',
  })
  updated_at!: string;

  @ApiProperty({
    example: false,
    description: 'Whether the user has two factors; always false, since keys are the only credentials.',
  })
  is_2fa_enabled!: boolean;

  @ApiProperty({
    example: false,
    description: 'Whether the user logs in with another service; always false, as above.',
  })
  has_social_auth!: boolean;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'When the user last logged in, or null.',
  })
  last_login!: string | null;
}
