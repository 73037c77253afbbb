import { ApiProperty, ApiSchema } from '@nestjs/swagger';

const WHEN = { type: 'string', format: 'date-time', nullable: true } as const;

@ApiSchema({ name: 'PersonalApiKey', description: 'A personal API key of the caller.' })
export class PersonalApiKeyResponse {
  @ApiProperty({ format: 'uuid', example: '0195b1f4-7c1c-7000-8000-0123456789ab', description: 'Id.' })
  id!: string;

  @ApiProperty({ example: 'Nightly report', description: 'What the key is for.' })
  label!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'The key itself, `phx_...`, in the answer to creating or rolling it; null everywhere else.',
  })
  value!: string | null;

  @ApiProperty({ example: 'phx_...Zk3w', description: 'First and last four characters of the value.' })
  mask_value!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00.250000Z',
    description: 'When it was created.',
  })
  created_at!: string;

  @ApiProperty({
    ...WHEN,
    example: '2025-03-02T10:00:00Z',
    description: 'When it was last used, to the hour; null: never.',
  })
  last_used_at!: string | null;

  @ApiProperty({ ...WHEN, example: null, description: 'When it last got a new value; null: never.' })
  last_rolled_at!: string | null;

  @ApiProperty({ ...WHEN, example: null, description: 'When it stops working; null: never.' })
  expires_at!: string | null;

  @ApiProperty({ type: 'integer', example: 1, description: 'Id of its user.' })
  user_id!: number;

  @ApiProperty({ type: [String], example: ['organization:read'], description: 'What it may do.' })
  scopes!: string[];

  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    example: [],
    description: 'Ids of the organizations in which alone it works; empty: in all of its user.',
  })
  scoped_organizations!: string[];

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    example: [],
    description: 'Ids of the projects in which alone it works; empty: in all of its user.',
  })
  scoped_teams!: number[];
}
