import { Body, Controller, Delete, Get, HttpCode, Patch, Put } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Organization, type OrganizationContext } from '../../identity/index';
import { Level } from '../../shared/domain/level';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { InOrganization, RequiresLevel, RequiresScope } from '../../shared/http/access';
import { OnRequest } from '../../shared/http/answers';
import { ApiOnRequestResponse } from '../../shared/http/openapi/on-request.response';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { UuidParam, Window } from '../../shared/http/parameters';
import { Post } from '../../shared/idempotency/post';
import { DomainService } from '../domain.service';
import { CreateDomainRequest, detailsOf, UpdateDomainRequest } from './domain.requests';
import { DomainResponse } from './domain.responses';

const NEEDS_ADMIN = { level: Level.Admin, detail: 'Your organization access level is insufficient.' };
const ID = 'UUID of the domain.';

@ApiTags('Domains')
@Controller('api/organizations/:organization_id/domains')
@InOrganization()
export class DomainsController {
  constructor(private readonly domains: DomainService) {}

  @Get()
  @RequiresScope('organization:read')
  @ApiOperation({
    summary: 'List the domains of an organization',
    description: 'In the order of the alphabet.',
  })
  @ApiPageResponse(DomainResponse)
  list(@Organization() { id }: OrganizationContext, @Window() window: PageWindow): Promise<Page> {
    return this.domains.list(id, window);
  }

  @Post()
  @RequiresScope('organization:write')
  @RequiresLevel(NEEDS_ADMIN)
  @ApiOperation({
    summary: 'Claim a domain',
    description:
      'For administrators and owners. The domain is not verified yet: put its challenge into DNS, then verify it.',
  })
  @ApiCreatedResponse({ type: DomainResponse, description: 'The domain.' })
  create(
    @Organization() { id }: OrganizationContext,
    @Body() body: CreateDomainRequest,
  ): Promise<Representation> {
    return this.domains.create(id, detailsOf(body));
  }

  @Get(':id')
  @RequiresScope('organization:read')
  @ApiOperation({ summary: 'Retrieve a domain' })
  @ApiOkResponse({ type: DomainResponse, description: 'The domain.' })
  retrieve(
    @Organization() organization: OrganizationContext,
    @UuidParam('id', ID) id: string,
  ): Promise<Representation> {
    return this.domains.retrieve(organization.id, id);
  }

  @Patch(':id')
  @RequiresScope('organization:write')
  @RequiresLevel(NEEDS_ADMIN)
  @ApiOperation({ summary: 'Change a domain', description: 'For administrators and owners.' })
  @ApiOkResponse({ type: DomainResponse, description: 'The domain after the change.' })
  update(
    @Organization() organization: OrganizationContext,
    @UuidParam('id', ID) id: string,
    @Body() body: UpdateDomainRequest,
  ): Promise<Representation> {
    return this.domains.update(organization.id, id, detailsOf(body));
  }

  @Put(':id')
  @RequiresScope('organization:write')
  @RequiresLevel(NEEDS_ADMIN)
  @ApiOperation({
    summary: 'Replace the settings of a domain',
    description:
      'Required fields must be given as on create; optional ones that are left out keep their values. SSO and JIT ' +
      'may be sent back as they are, also while the domain is not verified.',
  })
  @ApiOkResponse({ type: DomainResponse, description: 'The domain after the change.' })
  replace(
    @Organization() organization: OrganizationContext,
    @UuidParam('id', ID) id: string,
    @Body() body: CreateDomainRequest,
  ): Promise<Representation> {
    return this.domains.replace(organization.id, id, detailsOf(body));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('organization:write')
  @RequiresLevel(NEEDS_ADMIN)
  @ApiOperation({ summary: 'Give up a domain', description: 'For administrators and owners.' })
  @ApiNoContentResponse({ description: 'Deleted.' })
  delete(@Organization() organization: OrganizationContext, @UuidParam('id', ID) id: string): Promise<void> {
    return this.domains.delete(organization.id, id);
  }

  @Post(':id/verify')
  @RequiresScope('organization:write')
  @RequiresLevel(NEEDS_ADMIN)
  @ApiOperation({
    summary: 'Verify a domain',
    description:
      'For administrators and owners. Looks for the challenge in the TXT records of `_posthog-challenge.<domain>`, ' +
      'for at most 5 seconds. 200 whether it is there or not: `is_verified` tells. 400 when the domain is already ' +
      'verified. Needs no body; one is ignored.',
  })
  @ApiOnRequestResponse(DomainResponse)
  async verify(
    @Organization() organization: OrganizationContext,
    @UuidParam('id', ID) id: string,
  ): Promise<OnRequest> {
    return new OnRequest(await this.domains.verify(organization.id, id));
  }
}
