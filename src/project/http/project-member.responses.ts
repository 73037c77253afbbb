import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EmbeddedUserResponse } from '../../identity/index';

@ApiSchema({
  name: 'ProjectMember',
  description: 'That a member of the organization was given access to a project.',
})
export class ProjectMemberResponse {
  @ApiProperty({ type: EmbeddedUserResponse, description: 'To whom.' })
  user!: EmbeddedUserResponse;

  @ApiProperty({
    type: 'integer',
    enum: [1, 8],
    example: 1,
    description: 'What they were given: 1 member, 8 administrator of the project.',
  })
  level!: number;

  @ApiProperty({
    type: 'integer',
    enum: [1, 8, 15],
    example: 1,
    description:
      'Their level in the project: the one given, or their level in the organization where that is higher.',
  })
  effective_level!: number;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00.250000Z',
    description: 'When they were given access.',
  })
  created_at!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00.250000Z',
    description: 'When it last changed.',
  })
  updated_at!: string;
}
