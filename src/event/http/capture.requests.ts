import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MOST_EVENTS } from './capture.reader';

const TOKEN = {
  example: 'phc_5jTbVqJbGZ3WcZ4oV2mJq0JkQ8dBRzL7nYw1x6tHs9E',
  description: 'The `api_token` of the project. May also be called `token`, here or in an event.',
};

/** Documentation only: what SDKs send is read by `readCapture`, which forgives more. */
export class CapturedEventRequest {
  @ApiPropertyOptional(TOKEN)
  api_key?: string;

  @ApiProperty({ maxLength: 200, example: '$pageview', description: 'Name of the event.' })
  event!: string;

  @ApiProperty({
    maxLength: 200,
    example: 'user-42',
    description: 'Who caused it: a text, or a number. May also be among the properties.',
  })
  distinct_id!: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { $current_url: 'https://shop.example.com/', $set: { plan: 'team' } },
    description:
      'What is known of it. `$set`, `$set_once` and `$unset` change the properties of the person, which hold ' +
      '128 KiB together; ' +
      '`$process_person_profile: false` leaves the event without a person.',
  })
  properties?: Record<string, unknown>;

  @ApiPropertyOptional({
    format: 'date-time',
    example: '2025-03-01T09:30:00.250Z',
    description: 'When it happened; now, if left out.',
  })
  timestamp?: string;

  @ApiPropertyOptional({
    format: 'uuid',
    example: '0195b1f4-7c1c-7000-8000-0123456789ab',
    description: 'Its id: an event that is sent again with the same one is kept once. Made if left out.',
  })
  uuid?: string;

  @ApiPropertyOptional({
    type: 'integer',
    example: 1500,
    description:
      'How many milliseconds before the request it happened, for a sender whose clock may be wrong.',
  })
  offset?: number;
}

export class CaptureBatchRequest {
  @ApiProperty(TOKEN)
  api_key!: string;

  @ApiProperty({
    type: [CapturedEventRequest],
    maxItems: MOST_EVENTS,
    description: 'The events.',
    example: [{ event: '$pageview', distinct_id: 'user-42' }],
  })
  batch!: CapturedEventRequest[];

  @ApiPropertyOptional({
    format: 'date-time',
    example: '2025-03-01T09:30:01Z',
    description: 'The time of the request by the clock of the sender; timestamps are corrected by it.',
  })
  sent_at?: string;

  @ApiPropertyOptional({
    example: false,
    description: 'Whether the events are from long ago: then their timestamps are kept as they are.',
  })
  historical_migration?: boolean;
}
