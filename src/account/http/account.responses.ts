import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EmbeddedUserResponse } from '../../identity/index';
import { OrganizationResponse } from '../../organization/index';

@ApiSchema({
  name: 'OrganizationOfUser',
  description: 'An organization that the caller belongs to, in short.',
})
export class OrganizationOfUserResponse {
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
    type: 'integer',
    enum: [1, 8, 15],
    example: 15,
    description: "The caller's level: 1 member, 8 administrator, 15 owner.",
  })
  membership_level!: number;
}

@ApiSchema({ name: 'ShortProject', description: 'A project, as its user sees it in short.' })
export class ShortProjectResponse {
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

  @ApiProperty({ type: 'integer', example: 1, description: 'The id once more, as PostHog has it.' })
  project_id!: number;

  @ApiProperty({
    example: 'phc_5jTbVqJbGZ3WcZ4oV2mJq0JkQ8dBRzL7nYw1x6tHs9E',
    description: 'What clients send events with.',
  })
  api_token!: string;

  @ApiProperty({ example: 'Website', description: 'Name.' })
  name!: string;

  @ApiProperty({ example: false, description: 'Whether the steps to install a snippet were done.' })
  completed_snippet_onboarding!: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: null,
    description: 'Always null: there is no onboarding to complete.',
  })
  has_completed_onboarding_for!: Record<string, unknown> | null;

  @ApiProperty({ example: false, description: 'Whether an event has come in.' })
  ingested_event!: boolean;

  @ApiProperty({ example: false, description: 'Whether it holds sample data.' })
  is_demo!: boolean;

  @ApiProperty({ example: 'Europe/Berlin', description: 'Time zone in which its days begin.' })
  timezone!: string;

  @ApiProperty({ example: false, description: 'Whether the project is private.' })
  access_control!: boolean;
}

@ApiSchema({ name: 'Account', description: 'The caller, and where they belong.' })
export class AccountResponse extends EmbeddedUserResponse {
  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00.250000Z',
    description: 'When the account was made.',
  })
  date_joined!: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'When they last logged in; null: never.',
  })
  last_login!: string | null;

  @ApiProperty({ example: false, description: 'Whether they log in with two factors: there is no log-in.' })
  is_2fa_enabled!: boolean;

  @ApiProperty({
    example: false,
    description: 'Whether they log in through another service: there is no log-in.',
  })
  has_social_auth!: boolean;

  @ApiProperty({
    example: false,
    description: 'Whether they have a password: keys are the only credentials.',
  })
  has_password!: boolean;

  @ApiProperty({
    example: false,
    description: 'Whether they run the server: operators have a command line instead.',
  })
  is_staff!: boolean;

  @ApiProperty({
    type: ShortProjectResponse,
    nullable: true,
    description: 'The current project; null when the current organization has none.',
  })
  team!: ShortProjectResponse | null;

  @ApiProperty({
    type: OrganizationResponse,
    nullable: true,
    description: 'The current organization; null when the caller belongs to none.',
  })
  organization!: OrganizationResponse | null;

  @ApiProperty({
    type: [OrganizationOfUserResponse],
    description: 'Every organization that the caller belongs to, in the order in which they joined.',
  })
  organizations!: OrganizationOfUserResponse[];
}
