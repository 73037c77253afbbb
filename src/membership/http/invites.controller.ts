import { Body, Controller, Delete, Get, HttpCode, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { Caller, Organization, type OrganizationContext, Principal } from '../../identity/index';
import { type Page, type PageWindow, Representation } from '../../shared/domain/representation';
import { InOrganization, RequiresScope } from '../../shared/http/access';
import { OnRequest, WithHeaders } from '../../shared/http/answers';
import type { ApiRequest } from '../../shared/http/api-request';
import { ListBodyPipe } from '../../shared/http/body.pipe';
import { ApiOnRequestResponse } from '../../shared/http/openapi/on-request.response';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { UuidParam, Window } from '../../shared/http/parameters';
import { Post } from '../../shared/idempotency/post';
import { type Invited, InviteService } from '../invite.service';
import { CreateInviteRequest, invitationOf } from './invite.requests';
import { InviteResponse } from './invite.responses';

const BULK = { max: 20, detail: 'A maximum of 20 invites can be sent in a single request.' };

const LINK = {
  Link: {
    description:
      'For each invite that is not mailed, in order, the link by which it is accepted. It is shown this once.',
    schema: {
      type: 'string' as const,
      example: '<https://hedgerow.example.com/signup/7hXq0TmV2kC9/>; rel="accept"',
    },
  },
};

@ApiTags('Invites')
@Controller('api/organizations/:organization_id/invites')
@InOrganization()
export class InvitesController {
  constructor(private readonly invites: InviteService) {}

  @Get()
  @RequiresScope('organization_member:read')
  @ApiOperation({ summary: 'List the invites', description: 'Newest first, expired ones too.' })
  @ApiPageResponse(InviteResponse)
  list(
    @Caller() { userId }: Principal,
    @Organization() { id }: OrganizationContext,
    @Window() window: PageWindow,
  ): Promise<Page> {
    return this.invites.list(id, userId, window);
  }

  @Post()
  @RequiresScope('organization_member:write')
  @ApiOperation({
    summary: 'Invite somebody',
    description:
      'For every member, up to their own level. An earlier invite to the same address is replaced. Where no mail ' +
      'goes out, the answer carries the link to pass on in its `Link` header.',
  })
  @ApiCreatedResponse({ type: InviteResponse, description: 'The invite.', headers: LINK })
  async create(
    @Caller() caller: Principal,
    @Organization() { id }: OrganizationContext,
    @Body() body: CreateInviteRequest,
    @Req() request: ApiRequest,
  ): Promise<WithHeaders> {
    const invited = await this.invites.create(id, caller.userId, invitationOf(body));
    return new WithHeaders(invited.answer, acceptLinks([invited], request));
  }

  @Post('bulk')
  @RequiresScope('organization_member:write')
  @ApiOperation({
    summary: 'Invite up to 20 people',
    description: 'A list of invites, or one. All are made, or none when one of them cannot be.',
  })
  @ApiBody({
    schema: {
      oneOf: [
        {
          type: 'array',
          minItems: 1,
          maxItems: BULK.max,
          items: { $ref: getSchemaPath(CreateInviteRequest) },
        },
        { $ref: getSchemaPath(CreateInviteRequest) },
      ],
    },
  })
  @ApiOnRequestResponse(InviteResponse, 'array', LINK)
  async bulk(
    @Caller() caller: Principal,
    @Organization() { id }: OrganizationContext,
    @Body(new ListBodyPipe(CreateInviteRequest, BULK)) items: CreateInviteRequest[],
    @Req() request: ApiRequest,
  ): Promise<WithHeaders> {
    // Errors of one invite that came without a list have no place in it.
    const invited = Array.isArray(request.body)
      ? await this.invites.createAll(id, caller.userId, items.map(invitationOf))
      : await Promise.all(items.map((item) => this.invites.create(id, caller.userId, invitationOf(item))));
    const answer = new Representation(`[${invited.map(({ answer: { json } }) => json).join(',')}]`);
    return new WithHeaders(new OnRequest(answer), acceptLinks(invited, request));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('organization_member:write')
  @ApiOperation({ summary: 'Withdraw an invite', description: 'For every member; its link stops working.' })
  @ApiNoContentResponse({ description: 'Withdrawn.' })
  delete(
    @Organization() { id: organizationId }: OrganizationContext,
    @UuidParam('id', 'Id of the invite.') id: string,
  ): Promise<void> {
    return this.invites.delete(organizationId, id);
  }
}

/** Beside the mail, the only way in which an invite's secret leaves the server (D23). */
function acceptLinks(invited: readonly Invited[], { publicUrl }: ApiRequest): { Link?: string } {
  const links = invited.flatMap(({ link }) => (link === null ? [] : [`<${publicUrl}${link}>; rel="accept"`]));
  return links.length === 0 ? {} : { Link: links.join(', ') };
}
