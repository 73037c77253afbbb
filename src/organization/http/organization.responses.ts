import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'Organization', description: 'An organization as the caller sees it.' })
export class OrganizationResponse {
  @ApiProperty({ format: 'uuid', example: '0195b1f4-7c1c-7000-8000-0123456789ab', description: 'Id.' })
  id!: string;

  @ApiProperty({ example: 'Hedgerow Ltd', description: 'Name.' })
  name!: string;

  @ApiProperty({ example: 'hedgerow-ltd', description: 'The name as a part of a URL, unique.' })
  slug!: string;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    example: null,
    description: 'Id of the logo.',
  })
  logo_media_id!: string | null;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00.250000Z',
    description: 'When it was created.',
  })
  created_at!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00.250000Z',
    description: 'When it last changed.',
  })
  updated_at!: string;

  @ApiProperty({
    type: 'integer',
    enum: [1, 8, 15],
    example: 15,
    description: "The caller's level: 1 member, 8 administrator, 15 owner.",
  })
  membership_level!: number;

  @ApiProperty({
    type: 'integer',
    enum: [0, 3, 6, 9],
    example: 6,
    description:
      'What the organization may do with plugins: 0 nothing, 3 configure, 6 install, 9 manage global ones.',
  })
  plugins_access_level!: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ id: 1, name: 'Default project' }],
    description: 'The projects that the caller sees, in short.',
  })
  teams!: Record<string, unknown>[];

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [],
    description: 'Features of a plan. There are no plans: everything is available and the list is empty.',
  })
  available_product_features!: Record<string, unknown>[];

  @ApiProperty({ example: true, description: 'Whether members get an e-mail when somebody joins.' })
  is_member_join_email_enabled!: boolean;

  @ApiProperty({ example: '{}', description: 'The JSON text of an object that the operator keeps.' })
  metadata!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'Id of the customer in billing.',
  })
  customer_id!: string | null;

  @ApiProperty({
    type: 'boolean',
    nullable: true,
    example: null,
    description: 'Whether members must use two factors.',
  })
  enforce_2fa!: boolean | null;

  @ApiProperty({ example: '3', description: 'The number of active members, as text.' })
  member_count!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    example: null,
    description:
      'The widest scopes that keys have in the organization and its projects, whatever they carry; null: whatever they ' +
      'carry.',
  })
  max_key_scopes!: string[] | null;
}
