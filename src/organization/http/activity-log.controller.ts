import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type ActivityFilter, ActivityLog, ActivityLogEntryResponse } from '../../activity/index';
import { Caller, Organization, type OrganizationContext, Principal } from '../../identity/index';
import type { Page, PageWindow } from '../../shared/domain/representation';
import { InOrganization, RequiresScope } from '../../shared/http/access';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { Window } from '../../shared/http/parameters';
import { ActivityFilterParam } from './activity-log.param';

/** Here, since the log itself is below all contexts, and knows neither keys nor organizations. */
@ApiTags('Activity log')
@Controller('api/organizations/:organization_id/activity_log')
@InOrganization()
export class ActivityLogController {
  constructor(private readonly activity: ActivityLog) {}

  @Get()
  @RequiresScope('activity_log:read')
  @ApiOperation({
    summary: 'List who did what',
    description:
      'Newest first: who changed which thing of the organization, with which key, when, and its fields before and ' +
      'after. Each entry was written with the change, in one transaction. Secrets are masked. Left out is what was ' +
      'done in private projects that you do not see and, unless you administer the organization, what others did to ' +
      'personal API keys and what was done in projects that are gone.',
  })
  @ApiPageResponse(ActivityLogEntryResponse)
  list(
    @Caller() { userId }: Principal,
    @Organization() { id }: OrganizationContext,
    @ActivityFilterParam() filter: ActivityFilter,
    @Window() window: PageWindow,
  ): Promise<Page> {
    return this.activity.list(id, userId, filter, window);
  }
}
