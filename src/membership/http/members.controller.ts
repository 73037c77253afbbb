import { Body, Controller, Delete, Get, HttpCode, Patch, Put } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Caller, Organization, type OrganizationContext, Principal, UserUuid } from '../../identity/index';
import { Level } from '../../shared/domain/level';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { InOrganization, type RequiredLevel, RequiresLevel, RequiresScope } from '../../shared/http/access';
import { ErrorResponse } from '../../shared/http/openapi/error.response';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { Window } from '../../shared/http/parameters';
import { OnlyAdminsEditOthers } from '../domain/membership-errors';
import type { MemberFilter } from '../member-filter';
import { MembershipService } from '../membership.service';
import { Filter } from './member.parameters';
import { ReplaceMemberRequest, UpdateMemberRequest } from './member.requests';
import { MemberResponse } from './member.responses';

const WHO_MAY =
  'For administrators and owners. Nobody changes their own level, that of somebody higher, or makes an owner ' +
  'without being one. Owners may make others owners, and owners members. Pending invites that the member made to a ' +
  'level above the new one are withdrawn.';

/** The aggregate knows MEM-07 as well; here it is told before anything about the body is (D13). */
const ADMINS_EDIT_OTHERS: RequiredLevel = {
  level: Level.Admin,
  butFor: 'oneself',
  detail: new OnlyAdminsEditOthers().message,
};

@ApiTags('Members')
@Controller('api/organizations/:organization_id/members')
@InOrganization()
export class MembersController {
  constructor(private readonly members: MembershipService) {}

  @Get()
  @RequiresScope('organization_member:read')
  @ApiOperation({ summary: 'List the members', description: 'Active ones; who joined last comes first.' })
  @ApiPageResponse(MemberResponse)
  list(
    @Organization() { id }: OrganizationContext,
    @Filter() filter: MemberFilter,
    @Window() window: PageWindow,
  ): Promise<Page> {
    return this.members.list(id, filter, window);
  }

  @Patch(':user__uuid')
  @RequiresScope('organization_member:write')
  @RequiresLevel(ADMINS_EDIT_OTHERS)
  @ApiOperation({ summary: "Change a member's level", description: WHO_MAY })
  @ApiOkResponse({ type: MemberResponse, description: 'The member after the change.' })
  update(
    @Caller() caller: Principal,
    @Organization() { id }: OrganizationContext,
    @UserUuid() userUuid: string,
    @Body() body: UpdateMemberRequest,
  ): Promise<Representation> {
    return this.members.changeLevel({ organizationId: id, editorId: caller.userId, userUuid }, body.level);
  }

  @Put(':user__uuid')
  @RequiresScope('organization_member:write')
  @RequiresLevel(ADMINS_EDIT_OTHERS)
  @ApiOperation({ summary: "Set a member's level", description: WHO_MAY })
  @ApiOkResponse({ type: MemberResponse, description: 'The member after the change.' })
  replace(
    @Caller() caller: Principal,
    @Organization() { id }: OrganizationContext,
    @UserUuid() userUuid: string,
    @Body() body: ReplaceMemberRequest,
  ): Promise<Representation> {
    return this.members.changeLevel({ organizationId: id, editorId: caller.userId, userUuid }, body.level);
  }

  @Delete(':user__uuid')
  @HttpCode(204)
  @RequiresScope('organization_member:write')
  @RequiresLevel(ADMINS_EDIT_OTHERS)
  @ApiOperation({
    summary: 'Remove a member, or leave',
    description:
      'Administrators and owners remove others up to their own level; everybody may leave. Owners go only after ' +
      "another owner has lowered their level. The user's keys reach nothing in the organization any more, and the " +
      'pending invites that they made are withdrawn.',
  })
  @ApiNoContentResponse({ description: 'Removed.' })
  @ApiBadRequestResponse({ type: ErrorResponse, description: 'The member is an owner.' })
  delete(
    @Caller() caller: Principal,
    @Organization() { id }: OrganizationContext,
    @UserUuid() userUuid: string,
  ): Promise<void> {
    return this.members.remove({ organizationId: id, editorId: caller.userId, userUuid });
  }
}
