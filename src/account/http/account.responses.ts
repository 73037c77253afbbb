import { ApiProperty, ApiSchema, OmitType, PickType } from '@nestjs/swagger';
import { EmbeddedUserResponse } from '../../identity/index';
import { OrganizationResponse } from '../../organization/index';
import { ProjectResponse } from '../../project/index';

@ApiSchema({
  name: 'OrganizationOfUser',
  description: 'An organization that the caller belongs to, in short.',
})
export class OrganizationOfUserResponse extends PickType(OrganizationResponse, [
  'id',
  'name',
  'slug',
  'logo_media_id',
  'membership_level',
]) {}

@ApiSchema({ name: 'ShortProject', description: 'A project, as its user sees it in short.' })
export class ShortProjectResponse extends OmitType(ProjectResponse, ['created_at', 'updated_at']) {
  @ApiProperty({ type: 'integer', example: 1, description: 'The id once more, as PostHog has it.' })
  project_id!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: null,
    description: 'Always null: there is no onboarding to complete.',
  })
  has_completed_onboarding_for!: Record<string, unknown> | null;
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
