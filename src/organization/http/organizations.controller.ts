import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Put } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Caller, Organization, type OrganizationContext, Principal } from '../../identity/index';
import { Forbidden } from '../../shared/domain/domain-error';
import { Level } from '../../shared/domain/level';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { InOrganization, RequiresLevel, RequiresScope } from '../../shared/http/access';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { Window } from '../../shared/http/parameters';
import { OrganizationService } from '../organization.service';
import { CreateOrganizationRequest, detailsOf, UpdateOrganizationRequest } from './organization.requests';
import { OrganizationResponse } from './organization.responses';

const NEEDS_ADMIN = { level: Level.Admin, detail: 'You do not have admin access to this resource.' };
const NEEDS_OWNER = { level: Level.Owner, detail: 'Your organization access level is insufficient.' };

@ApiTags('Organizations')
@Controller('api/organizations')
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationService) {}

  @Get()
  @RequiresScope('organization:read')
  @ApiOperation({ summary: 'List the organizations you belong to', description: 'Oldest first.' })
  @ApiPageResponse(OrganizationResponse)
  list(@Caller() caller: Principal, @Window() window: PageWindow): Promise<Page> {
    refuseProjectKey(caller);
    return this.organizations.list(caller.userId, caller.reachableOrganizations(), window);
  }

  @Post()
  @RequiresScope('organization:write')
  @ApiOperation({
    summary: 'Create an organization',
    description: 'You become its owner. It starts with one project, and both become your current ones.',
  })
  @ApiCreatedResponse({ type: OrganizationResponse, description: 'The organization.' })
  create(@Caller() caller: Principal, @Body() body: CreateOrganizationRequest): Promise<Representation> {
    refuseProjectKey(caller);
    return this.organizations.create(caller.userId, detailsOf(body));
  }

  @Get(':id')
  @InOrganization('id')
  @RequiresScope('organization:read')
  @ApiOperation({ summary: 'Retrieve an organization' })
  @ApiOkResponse({ type: OrganizationResponse, description: 'The organization.' })
  retrieve(
    @Caller() caller: Principal,
    @Organization() { id }: OrganizationContext,
  ): Promise<Representation> {
    return this.organizations.retrieve(caller.userId, id);
  }

  @Patch(':id')
  @InOrganization('id')
  @RequiresScope('organization:write')
  @RequiresLevel(NEEDS_ADMIN)
  @ApiOperation({ summary: 'Change an organization', description: 'For administrators and owners.' })
  @ApiOkResponse({ type: OrganizationResponse, description: 'The organization after the change.' })
  update(
    @Caller() caller: Principal,
    @Organization() { id }: OrganizationContext,
    @Body() body: UpdateOrganizationRequest,
  ): Promise<Representation> {
    return this.organizations.update(caller.userId, id, detailsOf(body));
  }

  @Put(':id')
  @InOrganization('id')
  @RequiresScope('organization:write')
  @RequiresLevel(NEEDS_ADMIN)
  @ApiOperation({
    summary: 'Replace the settings of an organization',
    description:
      'Required fields must be given as on create; optional ones that are left out keep their values.',
  })
  @ApiOkResponse({ type: OrganizationResponse, description: 'The organization after the change.' })
  replace(
    @Caller() caller: Principal,
    @Organization() { id }: OrganizationContext,
    @Body() body: CreateOrganizationRequest,
  ): Promise<Representation> {
    return this.organizations.update(caller.userId, id, detailsOf(body));
  }

  @Delete(':id')
  @HttpCode(204)
  @InOrganization('id')
  @RequiresScope('organization:write')
  @RequiresLevel(NEEDS_ADMIN, NEEDS_OWNER)
  @ApiOperation({
    summary: 'Delete an organization',
    description:
      'For owners. Deletes everything under it: members, invites, domains, projects and what is in them.',
  })
  @ApiNoContentResponse({ description: 'Deleted.' })
  delete(@Organization() { id }: OrganizationContext): Promise<void> {
    return this.organizations.delete(id);
  }
}

/** A key for some projects reaches no organization (AUTH-18, ORG-26). */
function refuseProjectKey(caller: Principal): void {
  if (caller.scopedProjects.length > 0) {
    throw new Forbidden('API keys with scoped projects are only supported on project-based endpoints.');
  }
}
