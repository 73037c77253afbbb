import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ActivityDetailResponse } from './activity.responses';

const UUID = '01890f3c-7c1a-7e05-b4a2-2f8a1d3c9e10';

@ApiSchema({ name: 'ActivityLogUser', description: 'Who did it.' })
class ActivityLogUserResponse {
  @ApiProperty({ format: 'uuid', example: UUID, description: 'Id of the user.' })
  uuid!: string;

  @ApiProperty({ example: 'Ada', description: 'First name.' })
  first_name!: string;

  @ApiProperty({ example: 'Lovelace', description: 'Last name.' })
  last_name!: string;

  @ApiProperty({ format: 'email', example: 'ada@example.com', description: 'E-mail address.' })
  email!: string;
}

@ApiSchema({
  name: 'ActivityLogEntry',
  description: 'That something was done to a thing of an organization.',
})
export class ActivityLogEntryResponse {
  @ApiProperty({ format: 'uuid', example: UUID, description: 'Id of the entry.' })
  id!: string;

  @ApiProperty({
    type: () => ActivityLogUserResponse,
    nullable: true,
    description: 'Who did it; null when it was no person (`detail.trigger` says what it was).',
  })
  user!: ActivityLogUserResponse | null;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    example: UUID,
    description: 'Id of the personal API key that it was done with; null when it was done without one.',
  })
  key_id!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 42,
    description:
      'Id of the project that the thing belongs to, which may be gone; null when it belongs to none.',
  })
  project_id!: number | null;

  @ApiProperty({
    example: 'updated',
    description:
      'What was done: `created`, `updated`, `deleted` and, where they say more, others such as `paused`, `rolled`, ' +
      '`joined` or `installed`.',
  })
  activity!: string;

  @ApiProperty({ example: 'Action', description: 'The kind of thing it was done to.' })
  scope!: string;

  @ApiProperty({ example: '42', description: 'Id of the thing, as text; of a person, their UUID.' })
  item_id!: string;

  @ApiProperty({ type: () => ActivityDetailResponse, description: 'What it was done to, and what changed.' })
  detail!: ActivityDetailResponse;

  @ApiProperty({ format: 'date-time', example: '2025-03-01T09:30:00.250000Z', description: 'When.' })
  created_at!: string;
}
