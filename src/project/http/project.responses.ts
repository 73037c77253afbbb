import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'Project', description: 'A place for events within an organization.' })
export class ProjectResponse {
  @ApiProperty({ type: 'integer', example: 1, description: 'Id.' })
  id!: number;

  @ApiProperty({ format: 'uuid', example: '0195b1f4-7c1c-7000-8000-0123456789ab', description: 'UUID.' })
  uuid!: string;

  @ApiProperty({
    format: 'uuid',
    example: '0195b1f4-7c1c-7000-8000-0123456789ac',
    description: 'Id of its organization.',
  })
  organization!: string;

  @ApiProperty({
    example: 'phc_5jTbVqJbGZ3WcZ4oV2mJq0JkQ8dBRzL7nYw1x6tHs9E',
    description: 'What clients send events with. It is no secret: it can be seen in web pages.',
  })
  api_token!: string;

  @ApiProperty({ example: 'Website', description: 'Name.' })
  name!: string;

  @ApiProperty({ example: 'Europe/Berlin', description: 'Time zone in which its days begin.' })
  timezone!: string;

  @ApiProperty({ example: false, description: 'Whether it holds sample data.' })
  is_demo!: boolean;

  @ApiProperty({ example: false, description: 'Whether the steps to install a snippet were done.' })
  completed_snippet_onboarding!: boolean;

  @ApiProperty({ example: false, description: 'Whether an event has come in.' })
  ingested_event!: boolean;

  @ApiProperty({
    example: false,
    description:
      'Whether the project is private: seen by those alone who were given access to it, and by the administrators and ' +
      'owners of the organization.',
  })
  access_control!: boolean;

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
}
