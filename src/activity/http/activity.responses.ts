import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { ApiOnRequestSchema } from '../../shared/http/openapi/on-request.response';

/** Any value that a field of a resource can have. */
const ANY_VALUE = {
  nullable: true,
  oneOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
  ],
};

@ApiSchema({ name: 'ActivityUser', description: 'Who did it.' })
class ActivityUserResponse {
  @ApiProperty({ example: 'Ada', description: 'First name.' })
  first_name!: string;

  @ApiProperty({ format: 'email', example: 'ada@example.com', description: 'E-mail address.' })
  email!: string;
}

@ApiSchema({ name: 'ActivityChange', description: 'What became of one field or file.' })
class ActivityChangeResponse {
  @ApiProperty({ example: 'description', description: 'The field, or the name of the file.' })
  field!: string;

  @ApiProperty({ enum: ['created', 'changed', 'deleted'], example: 'changed', description: 'What happened.' })
  action!: string;

  @ApiProperty({
    ...ANY_VALUE,
    example: null,
    description:
      'The value before; null when there was none or its JSON is longer than 10,000 characters, or those of all ' +
      'changes together longer than 100,000. Always null for a file; a mask for a secret.',
  })
  before!: unknown;

  @ApiProperty({ ...ANY_VALUE, example: 'Says hello.', description: 'The value after, in the same way.' })
  after!: unknown;
}

@ApiSchema({ name: 'ActivityDetail', description: 'What it was done to, and what changed.' })
export class ActivityDetailResponse {
  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'Hello world',
    description: 'What the thing was called then.',
  })
  name!: string | null;

  @ApiProperty({
    type: () => [ActivityChangeResponse],
    nullable: true,
    description:
      'The fields that changed, at most 100: of something new all that it has, of something deleted all that it had. ' +
      'Null where no fields are told.',
    example: [{ field: 'description', action: 'changed', before: null, after: 'Says hello.' }],
  })
  changes!: ActivityChangeResponse[] | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: null,
    description:
      'What set it off when it was no person: `job_type` (`command`, `first_start` or `batch_export_run`) and `job_id`.',
  })
  trigger!: Record<string, unknown> | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'pipeline_destinations',
    description: 'The kind of thing within its scope; of a plugin, its family.',
  })
  type!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'Short id, of things with one.',
  })
  short_id!: string | null;
}

@ApiSchema({ name: 'Activity', description: 'An entry of the log of who changed what.' })
class ActivityResponse {
  @ApiProperty({
    type: () => ActivityUserResponse,
    nullable: true,
    description: 'Who did it; null when the user is gone.',
  })
  user!: ActivityUserResponse | null;

  @ApiProperty({ example: 'installed', description: 'What was done.' })
  activity!: string;

  @ApiProperty({ format: 'date-time', example: '2025-03-01T09:30:00.250000Z', description: 'When.' })
  created_at!: string;

  @ApiProperty({ example: 'Plugin', description: 'The kind of thing it was done to.' })
  scope!: string;

  @ApiProperty({ example: '42', description: 'Id of the thing, as text.' })
  item_id!: string;

  @ApiProperty({ type: () => ActivityDetailResponse, description: 'What changed.' })
  detail!: ActivityDetailResponse;
}

const pageLink = (description: string, example: string | null) => ({
  type: 'string',
  format: 'uri',
  nullable: true,
  description,
  example,
});

/** 200, with a numbered page of activity when the caller asks for it (D1, PLUG-33). */
export const ApiActivityResponse = () =>
  applyDecorators(
    ApiExtraModels(ActivityResponse),
    ApiOnRequestSchema({
      type: 'object',
      description: 'One page of the activity, newest first.',
      required: ['results', 'next', 'previous', 'total_count'],
      properties: {
        results: {
          type: 'array',
          description: 'The entries of the page.',
          items: { $ref: getSchemaPath(ActivityResponse) },
        },
        next: pageLink('The next page, or null.', 'https://hedgerow.example.com/api/x/?limit=10&page=2'),
        previous: pageLink('The page before, or null.', null),
        total_count: { type: 'integer', description: 'Total number of entries.', example: 1 },
      },
    }),
  );
