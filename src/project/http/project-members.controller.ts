import { Body, Controller, Delete, Get, HttpCode, Patch, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, Principal, Project, type ProjectContext, UserUuid } from '../../identity/index';
import { Level } from '../../shared/domain/level';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { InProject, RequiresLevel, RequiresScope } from '../../shared/http/access';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { Window } from '../../shared/http/parameters';
import type { ProjectPlace } from '../domain/project-member';
import { ProjectMemberService } from '../project-member.service';
import { ReplaceProjectMemberRequest, UpdateProjectMemberRequest } from './project-member.requests';
import { ProjectMemberResponse } from './project-member.responses';

const NEEDS_ADMIN = {
  level: Level.Admin,
  within: 'project',
  detail: 'You do not have admin access to this resource.',
} as const;

const WHO_MAY = 'For administrators and owners of the organization, and for administrators of the project.';

@ApiTags('Projects')
@Controller('api/projects/:project_id/members')
@InProject()
export class ProjectMembersController {
  constructor(private readonly members: ProjectMemberService) {}

  @Get()
  @RequiresScope('project:read')
  @ApiOperation({
    summary: 'List who was given access to a project',
    description:
      'Active users; who was given it last comes first. A private project (`access_control` true) is seen by them and by ' +
      'the administrators and owners of the organization; any other project by all members, whom the list does not show.',
  })
  @ApiPageResponse(ProjectMemberResponse)
  list(@Project() project: ProjectContext, @Window() window: PageWindow): Promise<Page> {
    return this.members.list(placeOf(project), window);
  }

  @Put(':user__uuid')
  @RequiresScope('project:write')
  @RequiresLevel(NEEDS_ADMIN)
  @ApiOperation({
    summary: 'Give a member of the organization access to a project',
    description: `Or another level of it, where they have some. ${WHO_MAY}`,
  })
  @ApiOkResponse({ type: ProjectMemberResponse, description: 'The access that they have now.' })
  replace(
    @Caller() { userId }: Principal,
    @Project() project: ProjectContext,
    @UserUuid() userUuid: string,
    @Body() { level }: ReplaceProjectMemberRequest,
  ): Promise<Representation> {
    return this.members.give({ ...placeOf(project), editorId: userId, userUuid }, level);
  }

  @Patch(':user__uuid')
  @RequiresScope('project:write')
  @RequiresLevel(NEEDS_ADMIN)
  @ApiOperation({
    summary: 'Change the level of access to a project',
    description: `Of somebody who was given access. ${WHO_MAY}`,
  })
  @ApiOkResponse({ type: ProjectMemberResponse, description: 'The access after the change.' })
  update(
    @Caller() { userId }: Principal,
    @Project() project: ProjectContext,
    @UserUuid() userUuid: string,
    @Body() { level }: UpdateProjectMemberRequest,
  ): Promise<Representation> {
    return this.members.change({ ...placeOf(project), editorId: userId, userUuid }, level);
  }

  @Delete(':user__uuid')
  @HttpCode(204)
  @RequiresScope('project:write')
  @RequiresLevel(NEEDS_ADMIN)
  @ApiOperation({
    summary: 'Take back access to a project',
    description: `If the project is private, the user finds it gone at once, unless they see every project. ${WHO_MAY}`,
  })
  @ApiNoContentResponse({ description: 'Taken back.' })
  delete(
    @Caller() { userId }: Principal,
    @Project() project: ProjectContext,
    @UserUuid() userUuid: string,
  ): Promise<void> {
    return this.members.take({ ...placeOf(project), editorId: userId, userUuid });
  }
}

const placeOf = ({ id, organization }: ProjectContext): ProjectPlace => ({
  organizationId: organization.id,
  projectId: id,
});
