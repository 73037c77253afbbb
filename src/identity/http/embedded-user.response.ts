import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'User', description: 'A person, as other resources show them.' })
export class EmbeddedUserResponse {
  @ApiProperty({ type: 'integer', example: 1, description: 'Id of the user.' })
  id!: number;

  @ApiProperty({
    format: 'uuid',
    example: '0195b1f4-7c1c-7000-8000-0123456789ab',
    description: 'UUID of the user.',
  })
  uuid!: string;

  @ApiProperty({ example: 'kD3tYw0dS2', description: 'Id of the user as a person in events.' })
  distinct_id!: string;

  @ApiProperty({ example: 'Ada', description: 'First name.' })
  first_name!: string;

  @ApiProperty({ example: 'Lovelace', description: 'Last name.' })
  last_name!: string;

  @ApiProperty({ format: 'email', example: 'ada@example.com', description: 'E-mail address.' })
  email!: string;

  @ApiProperty({
    type: 'boolean',
    nullable: true,
    example: true,
    description: 'Whether the address has been verified; null when nobody asked.',
  })
  is_email_verified!: boolean | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: null,
    description: 'Settings of the hedgehog, or null.',
  })
  hedgehog_config!: Record<string, unknown> | null;
}
