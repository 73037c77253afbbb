import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EmbeddedUserResponse } from '../../identity/index';
import { PrivateProjectAccess } from './private-project-access';

@ApiSchema({ name: 'Invite', description: 'An offer to join an organization, good for three days.' })
export class InviteResponse {
  @ApiProperty({ format: 'uuid', example: '0195b1f4-7c1c-7000-8000-0123456789ab', description: 'Id.' })
  id!: string;

  @ApiProperty({
    format: 'email',
    example: 'grace@example.com',
    description: 'Who is invited; the part after the @ in lower case.',
  })
  target_email!: string;

  @ApiProperty({ example: 'Grace', description: 'First name, or empty.' })
  first_name!: string;

  @ApiProperty({
    example: false,
    description: 'Whether the link is mailed to the address: the answer then has no `Link` header.',
  })
  emailing_attempt_made!: boolean;

  @ApiProperty({
    type: 'integer',
    enum: [1, 8, 15],
    example: 1,
    description: 'The level of who accepts: 1 member, 8 administrator, 15 owner.',
  })
  level!: number;

  @ApiProperty({ example: false, description: 'Whether it is older than three days.' })
  is_expired!: boolean;

  @ApiProperty({
    type: EmbeddedUserResponse,
    nullable: true,
    description: 'Who invited, or null when that user exists no more.',
  })
  created_by!: EmbeddedUserResponse | null;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00.250000Z',
    description: 'When it was made.',
  })
  created_at!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00.250000Z',
    description: 'When it last changed.',
  })
  updated_at!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'Welcome!',
    description: 'A message to who is invited, or null.',
  })
  message!: string | null;

  @ApiProperty({
    type: [PrivateProjectAccess],
    example: [],
    description: 'What the invite promises in private projects.',
  })
  private_project_access!: PrivateProjectAccess[];
}
