import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'CaptureRejection', description: 'An event that was not kept.' })
export class RejectionResponse {
  @ApiProperty({ type: 'integer', example: 3, description: 'Where it stood in the batch, from 0.' })
  index!: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: '0195b1f4-7c1c-7000-8000-0123456789ab',
    description: 'The UUID that was sent with it, or null.',
  })
  uuid!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'distinct_id',
    description: 'The field to blame, or null.',
  })
  attr!: string | null;

  @ApiProperty({ example: 'required', description: 'What is wrong, for programs.' })
  code!: string;

  @ApiProperty({ example: 'This field is required.', description: 'What is wrong, for people.' })
  detail!: string;
}

@ApiSchema({ name: 'Capture', description: 'What became of the events of a request.' })
export class CaptureResponse {
  @ApiProperty({ enum: ['Ok'], example: 'Ok', description: 'Always `Ok`, as SDKs expect.' })
  status!: 'Ok';

  @ApiProperty({
    type: 'integer',
    example: 20,
    description: 'How many events are kept, with those that were kept before.',
  })
  accepted!: number;

  @ApiProperty({
    type: [RejectionResponse],
    description: 'The events that are not kept, the first 100 of them.',
    example: [],
  })
  rejected!: RejectionResponse[];
}
