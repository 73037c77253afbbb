import { PartialType } from '@nestjs/swagger';
import { Choice } from '../../shared/http/fields/index';
import { ACCESS_LEVELS, type AccessLevel } from '../domain/project-member';

export class ReplaceProjectMemberRequest {
  @Choice({
    required: true,
    choices: ACCESS_LEVELS,
    description: '1 member, who sees the project; 8 administrator, who also gives others access to it.',
    example: 1,
  })
  level!: AccessLevel;
}

export class UpdateProjectMemberRequest extends PartialType(ReplaceProjectMemberRequest, {
  skipNullProperties: false,
}) {}
