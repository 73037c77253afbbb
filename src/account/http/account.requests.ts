import { PartialType } from '@nestjs/swagger';
import { Int, Text, Uuid } from '../../shared/http/fields/index';
import type { AccountChange } from '../account.service';

export class ReplaceAccountRequest {
  @Text({ required: true, trim: true, max: 150, description: 'Your first name.', example: 'Ada' })
  first_name!: string;

  @Text({ trim: true, max: 150, blank: true, description: 'Your last name.', example: 'Lovelace' })
  last_name?: string;

  @Uuid({
    description:
      'Id of the organization, one of yours, for which `@current` is to stand. The oldest project that you see in it ' +
      'becomes your current one, unless `set_current_team` names another.',
    example: '0195b1f4-7c1c-7000-8000-0123456789ab',
  })
  set_current_organization?: string;

  @Int({
    description:
      'Id of the project for which `@current` is to stand; its organization becomes your current one.',
    example: 1,
  })
  set_current_team?: number;
}

export class UpdateAccountRequest extends PartialType(ReplaceAccountRequest, { skipNullProperties: false }) {}

export function changeOf(body: UpdateAccountRequest): AccountChange {
  return {
    firstName: body.first_name,
    lastName: body.last_name,
    organizationId: body.set_current_organization?.toLowerCase(),
    projectId: body.set_current_team,
  };
}
