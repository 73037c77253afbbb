import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'Error', description: 'Why a request was not done.' })
export class ErrorResponse {
  @ApiProperty({
    enum: ['authentication_error', 'validation_error', 'invalid_request', 'throttled_error', 'server_error'],
    example: 'validation_error',
    description: 'The kind of error.',
  })
  type!: string;

  @ApiProperty({ example: 'required', description: 'What is wrong, for programs.' })
  code!: string;

  @ApiProperty({ example: 'This field is required.', description: 'What is wrong, for people.' })
  detail!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'name',
    description: 'The field to blame, nested fields joined by two underscores, or null.',
  })
  attr!: string | null;
}
