import { ApiProperty, ApiSchema, OmitType } from '@nestjs/swagger';
import { EmbeddedUserResponse } from './embedded-user.response';
import { PersonalApiKeyResponse } from './personal-api-key.responses';

@ApiSchema({
  name: 'KeyOfMember',
  description:
    'A personal API key of a member, as the administrators of an organization that it reaches see it.',
})
export class KeyOfMemberResponse extends OmitType(PersonalApiKeyResponse, [
  'value',
  'user_id',
  'scoped_organizations',
  'scoped_teams',
]) {
  @ApiProperty({ type: EmbeddedUserResponse, description: 'Whose it is.' })
  user!: EmbeddedUserResponse;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    example: [],
    description:
      'The id of this organization when the key is restricted to organizations, of which others are not shown; empty: ' +
      'it is not.',
  })
  scoped_organizations!: string[];

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    example: [],
    description:
      'Ids of the projects of this organization to which the key is restricted; empty: it is restricted to none.',
  })
  scoped_teams!: number[];
}
