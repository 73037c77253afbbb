import { PartialType } from '@nestjs/swagger';
import { LEVELS, type Level } from '../../shared/domain/level';
import { Choice } from '../../shared/http/fields/index';

export class ReplaceMemberRequest {
  @Choice({
    required: true,
    choices: LEVELS,
    description: '1 member, 8 administrator, 15 owner.',
    example: 8,
  })
  level!: Level;
}

export class UpdateMemberRequest extends PartialType(ReplaceMemberRequest, { skipNullProperties: false }) {}
