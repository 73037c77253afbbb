import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EmbeddedUserResponse } from '../../identity/index';
import { MATCHINGS, type Matching } from '../domain/step';

const text = (description: string, example: string) =>
  ApiProperty({ type: 'string', nullable: true, description, example });

const matching = (description: string) =>
  ApiProperty({ type: 'string', enum: [...MATCHINGS], nullable: true, description, example: 'contains' });

@ApiSchema({
  name: 'ActionStep',
  description: 'One way in which an event can match an action: all that is not null must hold.',
})
export class ActionStepResponse {
  @text('Name of the event.', '$autocapture')
  event!: string | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    nullable: true,
    example: [{ key: 'plan', value: ['pro', 'team'], operator: 'exact', type: 'event' }],
    description: 'Conditions on properties.',
  })
  properties!: Record<string, unknown>[] | null;

  @text('CSS selector of an element.', 'form.signup > button')
  selector!: string | null;

  @text('Tag of an element.', 'button')
  tag_name!: string | null;

  @text('Text of an element.', 'Sign up')
  text!: string | null;

  @matching('How `text` is compared; null: exactly.')
  text_matching!: Matching | null;

  @text('Target of a link.', '/signup')
  href!: string | null;

  @matching('How `href` is compared; null: exactly.')
  href_matching!: Matching | null;

  @text('Address of the page.', 'https://example.com/signup')
  url!: string | null;

  @matching('How `url` is compared; null: by `contains`.')
  url_matching!: Matching | null;
}

@ApiSchema({ name: 'Action', description: 'A named definition that matches events by steps.' })
export class ActionResponse {
  @ApiProperty({ type: 'integer', example: 42, description: 'Id of the action.' })
  id!: number;

  @ApiProperty({ example: 'Signed up', description: 'Name, unique among those that are not deleted.' })
  name!: string;

  @ApiProperty({ example: 'A new account.', description: 'What it is for.' })
  description!: string;

  @ApiProperty({ type: 'array', items: { type: 'string' }, example: ['growth'], description: 'Tags.' })
  tags!: string[];

  @ApiProperty({ example: false, description: 'Whether a match is posted to Slack.' })
  post_to_slack!: boolean;

  @ApiProperty({ example: '[person.name] signed up', description: 'Format of the message to Slack.' })
  slack_message_format!: string;

  @ApiProperty({ type: [ActionStepResponse], description: 'An event matches when it matches any of them.' })
  steps!: ActionStepResponse[];

  @ApiProperty({ format: 'date-time', example: '2025-03-01T09:30:00Z', description: 'When it was created.' })
  created_at!: string;

  @ApiProperty({
    type: EmbeddedUserResponse,
    nullable: true,
    description: 'Who created it; null when that user is gone.',
  })
  created_by!: EmbeddedUserResponse | null;

  @ApiProperty({ example: false, description: 'Whether it is deleted. Lists leave deleted ones out.' })
  deleted!: boolean;

  @ApiProperty({ example: false, description: 'Always false: actions are matched as events come.' })
  is_calculating!: boolean;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00Z',
    description: 'When it was last calculated. Lists are sorted by it, the latest first.',
  })
  last_calculated_at!: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'Id of the project.' })
  team_id!: number;

  @ApiProperty({ example: true, description: 'Always true.' })
  is_action!: boolean;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'Step 2: the regular expression of url, "(", does not compile: missing closing ): `(`.',
    description:
      'The first regular expression (RE2) or selector that does not compile; its step matches nothing. Null when all do.',
  })
  bytecode_error!: string | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    example: '2025-03-01T09:30:00Z',
    description: 'When it was pinned, or null.',
  })
  pinned_at!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'Always null: how it came to be is not recorded.',
  })
  creation_context!: string | null;
}
