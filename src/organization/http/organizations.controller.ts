import { Body, Controller, Delete, Get, HttpCode, Patch, Put } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Caller, Organization, type OrganizationContext, Principal } from '../../identity/index';
import { NotFound } from '../../shared/domain/domain-error';
import { Level } from '../../shared/domain/level';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import {
  AcrossOrganizations,
  InOrganization,
  OwnersAlways,
  RequiresLevel,
  RequiresScope,
} from '../../shared/http/access';
import { ErrorResponse } from '../../shared/http/openapi/error.response';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { Window } from '../../shared/http/parameters';
import { Post } from '../../shared/idempotency/post';
import { OrganizationService } from '../organization.service';
import { CreateOrganizationRequest, detailsOf, UpdateOrganizationRequest } from './organization.requests';
import { OrganizationResponse } from './organization.responses';

const NEEDS_ADMIN = { level: Level.Admin, detail: 'You do not have admin access to this resource.' };
const NEEDS_OWNER = { level: Level.Owner, detail: 'Your organization access level is insufficient.' };
const WHO_CHANGES =
  'For administrators and owners; owners also where `max_key_scopes` does not allow keys the scope, so that they can ' +
  'always change it back.';

@ApiTags('Organizations')
@Controller('api/organizations')
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationService) {}

  @Get()
  @AcrossOrganizations()
  @RequiresScope('organization:read')
  @ApiOperation({
    summary: 'List the organizations you belong to',
    description: 'Oldest first. Left out are those whose `max_key_scopes` do not allow keys to read them.',
  })
  @ApiPageResponse(OrganizationResponse)
  @ApiNotFoundResponse({ type: ErrorResponse, description: 'You belong to no organization.' })
  list(@Caller() caller: Principal, @Window() window: PageWindow): Promise<Page> {
    if (caller.memberships.length === 0) throw new NotFound('You need to belong to an organization.');
    return this.organizations.list(caller.userId, caller.reachableOrganizations('organization:read'), window);
  }

  @Post()
  @AcrossOrganizations()
  @RequiresScope('organization:write')
  @ApiOperation({
    summary: 'Create an organization',
    description: 'You become its owner. It starts with one project, and both become your current ones.',
  })
  @ApiCreatedResponse({ type: OrganizationResponse, description: 'The organization.' })
  create(@Caller() caller: Principal, @Body() body: CreateOrganizationRequest): Promise<Representation> {
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
  @OwnersAlways()
  @ApiOperation({ summary: 'Change an organization', description: WHO_CHANGES })
  // Without it, Swagger UI would offer every field, and with them `max_key_scopes` null.
  @ApiBody({ type: UpdateOrganizationRequest, examples: { name: { value: { name: 'Hedgerow Ltd' } } } })
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
  @OwnersAlways()
  @ApiOperation({
    summary: 'Replace the settings of an organization',
    description: `Required fields must be given as on create; optional ones that are left out keep their values. ${WHO_CHANGES}`,
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
  delete(@Caller() caller: Principal, @Organization() { id }: OrganizationContext): Promise<void> {
    return this.organizations.delete(caller.userId, id);
  }
}
