import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Injectable,
  Patch,
  Put,
} from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  Caller,
  Organization,
  type OrganizationContext,
  Principal,
  Project,
  type ProjectContext,
} from '../../identity/index';
import { Level } from '../../shared/domain/level';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import {
  AnyKey,
  InCurrentOrganization,
  InOrganization,
  InProject,
  RequiresLevel,
  RequiresScope,
} from '../../shared/http/access';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { Window } from '../../shared/http/parameters';
import { Post } from '../../shared/idempotency/post';
import { ProjectService } from '../project.service';
import { CreateProjectRequest, detailsOf, UpdateProjectRequest } from './project.requests';
import { ProjectResponse } from './project.responses';

const NEEDS_ADMIN = { level: Level.Admin, detail: 'You do not have admin access to this resource.' };

const WHO_CHANGES =
  'For everybody who sees it; `access_control` for administrators and owners of the organization.';

/** What both ways to create a project have in common. */
const CreatesProject = (where: string) =>
  applyDecorators(
    Post(),
    RequiresScope('project:write'),
    RequiresLevel(NEEDS_ADMIN),
    ApiOperation({
      summary: `Create a project in ${where}`,
      description: 'For administrators and owners. Your current project stays the one it is.',
    }),
    ApiCreatedResponse({ type: ProjectResponse, description: 'The project.' }),
  );

/** What can be done with one project, the same under both paths that lead to it. */
@Injectable()
abstract class ProjectRoutes {
  constructor(protected readonly projects: ProjectService) {}

  @Get(':id')
  @InProject('id')
  @RequiresScope('project:read')
  @ApiOperation({ summary: 'Retrieve a project' })
  @ApiOkResponse({ type: ProjectResponse, description: 'The project.' })
  retrieve(@Project() { id, organization }: ProjectContext): Promise<Representation> {
    return this.projects.retrieve(organization.id, id);
  }

  @Patch(':id')
  @InProject('id')
  @RequiresScope('project:write')
  @ApiOperation({ summary: 'Change a project', description: WHO_CHANGES })
  // Without it, Swagger UI would offer every field, and with them to open a private project to all.
  @ApiBody({ type: UpdateProjectRequest, examples: { name: { value: { name: 'Website' } } } })
  @ApiOkResponse({ type: ProjectResponse, description: 'The project after the change.' })
  update(
    @Project() { id, organization }: ProjectContext,
    @Body() body: UpdateProjectRequest,
  ): Promise<Representation> {
    return this.projects.update(organization.id, id, organization.level, detailsOf(body));
  }

  @Put(':id')
  @InProject('id')
  @RequiresScope('project:write')
  @ApiOperation({
    summary: 'Replace the settings of a project',
    description: `Required fields must be given as on create; optional ones that are left out keep their values. ${WHO_CHANGES}`,
  })
  @ApiOkResponse({ type: ProjectResponse, description: 'The project after the change.' })
  replace(
    @Project() { id, organization }: ProjectContext,
    @Body() body: CreateProjectRequest,
  ): Promise<Representation> {
    return this.projects.update(organization.id, id, organization.level, detailsOf(body));
  }

  @Delete(':id')
  @HttpCode(204)
  @InProject('id')
  @RequiresScope('project:write')
  @RequiresLevel(NEEDS_ADMIN)
  @ApiOperation({
    summary: 'Delete a project',
    description:
      'For administrators and owners. Deletes everything in it. Those whose current project it was find ' +
      'themselves in the oldest one of the organization that they see, if any is left.',
  })
  @ApiNoContentResponse({ description: 'Deleted.' })
  delete(@Project() { id, organization }: ProjectContext): Promise<void> {
    return this.projects.delete(organization.id, id);
  }
}

@ApiTags('Projects')
@Controller('api/projects')
export class ProjectsController extends ProjectRoutes {
  @Get()
  @AnyKey()
  @ApiOperation({
    summary: 'List the projects of all your organizations',
    description:
      'Oldest first. Private ones that you were given no access to are left out. A key that is restricted lists those ' +
      'that it reaches.',
  })
  @ApiPageResponse(ProjectResponse)
  list(@Caller() caller: Principal, @Window() window: PageWindow): Promise<Page> {
    return this.projects.list(caller.userId, caller.reachableOrganizations(), caller.scopedProjects, window);
  }

  @CreatesProject('your current organization')
  @InCurrentOrganization()
  create(
    @Organization() { id }: OrganizationContext,
    @Body() body: CreateProjectRequest,
  ): Promise<Representation> {
    return this.projects.create(id, detailsOf(body));
  }
}

@ApiTags('Projects')
@Controller('api/organizations/:organization_id/projects')
@InOrganization()
export class OrganizationProjectsController extends ProjectRoutes {
  @Get()
  @RequiresScope('project:read')
  @ApiOperation({
    summary: 'List the projects of an organization',
    description: 'Oldest first. Private ones that you were given no access to are left out.',
  })
  @ApiPageResponse(ProjectResponse)
  list(
    @Caller() { userId }: Principal,
    @Organization() { id }: OrganizationContext,
    @Window() window: PageWindow,
  ): Promise<Page> {
    return this.projects.list(userId, [id], [], window);
  }

  @CreatesProject('an organization')
  create(
    @Organization() { id }: OrganizationContext,
    @Body() body: CreateProjectRequest,
  ): Promise<Representation> {
    return this.projects.create(id, detailsOf(body));
  }
}
