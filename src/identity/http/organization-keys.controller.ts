import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Level } from '../../shared/domain/level';
import type { Page, PageWindow } from '../../shared/domain/representation';
import { InOrganization, RequiresLevel, RequiresScope } from '../../shared/http/access';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { Window } from '../../shared/http/parameters';
import { PersonalApiKeyService } from '../personal-api-key.service';
import type { OrganizationContext } from '../principal';
import { Organization } from './identity-request';
import { KeyOfMemberResponse } from './key-of-member.response';

@ApiTags('Personal API keys')
@Controller('api/organizations/:organization_id/personal_api_keys')
@InOrganization()
export class OrganizationPersonalApiKeysController {
  constructor(private readonly keys: PersonalApiKeyService) {}

  @Get()
  @RequiresScope('organization_member:read')
  @RequiresLevel({ level: Level.Admin, detail: 'You do not have admin access to this resource.' })
  @ApiOperation({
    summary: "List the members' keys that reach an organization",
    description:
      'For administrators and owners; never with their values. Who joined last comes first, and of a member the newest ' +
      'key. Left out are keys that are restricted to other organizations or projects, that have expired, or whose user ' +
      'is deactivated. What keys may do in the organization is bounded by its `max_key_scopes`, whatever their scopes.',
  })
  @ApiPageResponse(KeyOfMemberResponse)
  list(@Organization() { id }: OrganizationContext, @Window() window: PageWindow): Promise<Page> {
    return this.keys.reaching(id, window);
  }
}
