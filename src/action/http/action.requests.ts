import { PartialType } from '@nestjs/swagger';
import {
  Bool,
  type Check,
  Choice,
  jsonObjectCheck,
  List,
  ObjectList,
  Text,
  Timestamp,
  textCheck,
} from '../../shared/http/fields/index';
import type { ActionDetails } from '../domain/action';
import { MATCHINGS, type Matching, type PropertyFilter } from '../domain/step';

const MOST_STEPS = 500;
const MOST_PROPERTIES = 500;
const MOST_TAGS = 500;
const LONGEST_TAG = 200;

/** Of event, tag_name: names; of the rest: texts and addresses. In characters. */
const LONGEST_NAME = 400;
const LONGEST_TEXT = 10_000;

const tagCheck: Check = (tag) => textCheck({ max: LONGEST_TAG })(typeof tag === 'string' ? tag.trim() : tag);

const matching = (of: string, absent: string) =>
  Choice({
    nullable: true,
    choices: MATCHINGS,
    description: `How \`${of}\` is compared. ${absent}`,
    example: 'contains',
  });

export class ActionStepRequest {
  @Text({
    nullable: true,
    max: LONGEST_NAME,
    description: 'Name of the event, or null for any. Blanks around it count.',
    example: '$autocapture',
  })
  event?: string | null;

  @List({
    nullable: true,
    max: MOST_PROPERTIES,
    items: { type: 'object', additionalProperties: true },
    item: jsonObjectCheck,
    description: 'Conditions on properties, all of which must hold.',
    example: [{ key: 'plan', value: ['pro', 'team'], operator: 'exact', type: 'event' }],
  })
  properties?: PropertyFilter[] | null;

  @Text({
    nullable: true,
    trim: true,
    max: LONGEST_TEXT,
    description:
      "CSS selector of an element of the event: parts separated by blanks or `>`, of a tag, `.class`, `#id`, `[attr='v']`, " +
      '`:nth-child(n)` and `:nth-of-type(n)`.',
    example: 'form.signup > button',
  })
  selector?: string | null;

  @Text({
    nullable: true,
    max: LONGEST_NAME,
    description: 'Tag of an element of the event.',
    example: 'button',
  })
  tag_name?: string | null;

  @Text({
    nullable: true,
    max: LONGEST_TEXT,
    description: 'Text of an element of the event. Blanks around it count.',
    example: 'Sign up',
  })
  text?: string | null;

  @matching('text', 'Absent or null: exactly.')
  text_matching?: Matching | null;

  @Text({
    nullable: true,
    max: LONGEST_TEXT,
    description: 'Target of a link of the event. Blanks around it count.',
    example: '/signup',
  })
  href?: string | null;

  @matching('href', 'Absent or null: exactly.')
  href_matching?: Matching | null;

  @Text({
    nullable: true,
    trim: true,
    max: LONGEST_TEXT,
    description: 'Address of the page, the property `$current_url` of the event.',
    example: 'https://example.com/signup',
  })
  url?: string | null;

  @matching('url', 'Absent: `contains`; null is compared the same way.')
  url_matching?: Matching | null;
}

export class CreateActionRequest {
  @Text({
    required: true,
    trim: true,
    max: 400,
    description: 'Name of the action, unique among those of the project that are not deleted.',
    example: 'Signed up',
  })
  name!: string;

  @Text({ blank: true, max: 10_000, description: 'What it is for.', example: 'A new account.', default: '' })
  description?: string;

  @List({
    max: MOST_TAGS,
    items: { type: 'string', minLength: 1, maxLength: LONGEST_TAG },
    item: tagCheck,
    description: 'Tags: trimmed, each kept once, in the order given. Replaces the tags there are.',
    example: ['growth'],
  })
  tags?: string[];

  @Bool({ description: 'Whether a match is posted to Slack.', example: false, default: false })
  post_to_slack?: boolean;

  @Text({
    blank: true,
    max: 1200,
    description: 'Format of the message to Slack.',
    example: '[person.name] signed up',
    default: '',
  })
  slack_message_format?: string;

  @ObjectList({
    of: () => ActionStepRequest,
    max: MOST_STEPS,
    description: 'An event matches when it matches any of the steps. Replaces the steps there are.',
    example: [{ event: '$pageview', url: '/welcome', url_matching: 'contains' }],
  })
  steps?: ActionStepRequest[];

  @Bool({
    description: 'True deletes the action softly, false restores it.',
    example: false,
    default: false,
  })
  deleted?: boolean;

  @Timestamp({
    description: 'When it was last calculated; on create, absent: now. Lists are sorted by it.',
    example: '2025-03-01T09:30:00Z',
  })
  last_calculated_at?: Date;

  @Timestamp({
    nullable: true,
    description:
      'Any time pins an action that is not pinned, at the present time (on create: at the time given); null unpins it.',
    example: '2025-03-01T09:30:00Z',
  })
  pinned_at?: Date | null;
}

export class UpdateActionRequest extends PartialType(CreateActionRequest, { skipNullProperties: false }) {}

export function detailsOf<B extends UpdateActionRequest>(body: B): ActionDetails & Pick<B, 'name'> {
  return {
    name: body.name,
    description: body.description,
    tags: body.tags,
    postToSlack: body.post_to_slack,
    slackMessageFormat: body.slack_message_format,
    steps: body.steps,
    deleted: body.deleted,
    lastCalculatedAt: body.last_calculated_at,
    pinnedAt: body.pinned_at,
  };
}
