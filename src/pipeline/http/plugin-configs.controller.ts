import { applyDecorators, Body, Controller, Delete, Get, HttpCode, Patch, Put } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  type ApiOperationOptions,
  ApiTags,
} from '@nestjs/swagger';
import { Project, type ProjectContext } from '../../identity/index';
import { PluginsAccess } from '../../shared/domain/level';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { InProject, RequiresPluginsAccess, RequiresScope } from '../../shared/http/access';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { IntegerParam, Window } from '../../shared/http/parameters';
import { Post } from '../../shared/idempotency/post';
import type { ConfigPlace } from '../domain/plugin-config';
import { PluginConfigService } from '../plugin-config.service';
import {
  CreatePluginConfigRequest,
  detailsOf,
  ordersOf,
  RearrangePluginConfigsRequest,
  UpdatePluginConfigRequest,
} from './plugin-config.requests';
import { PluginConfigResponse } from './plugin-config.responses';

const Id = () => IntegerParam('id', 'Id of the config.');

const Reads = (operation: ApiOperationOptions) =>
  applyDecorators(RequiresScope('plugin:read'), ApiOperation(operation));
const Writes = (operation: ApiOperationOptions) =>
  applyDecorators(RequiresScope('plugin:write'), ApiOperation(operation));

/** What both methods of `rearrange` have in common. */
const Rearranges = (summary: string) =>
  applyDecorators(
    HttpCode(200),
    Writes({
      summary,
      description:
        'Gives configs of the project, by their ids, a new `order`: all of them or none. Answers what the list shows, ' +
        'at most 1000.',
    }),
    ApiOkResponse({ type: [PluginConfigResponse], description: 'The configs of the project, by order.' }),
  );

/** Any member may write, in an organization that may configure plugins; to install them takes more (PLUG-05). */
@ApiTags('Plugin configs')
@InProject()
@RequiresPluginsAccess(PluginsAccess.Config)
@Controller('api/projects/:project_id/plugin_configs')
export class PluginConfigsController {
  constructor(private readonly configs: PluginConfigService) {}

  @Get()
  @Reads({
    summary: 'List how the project uses plugins',
    description: 'By order. Deleted ones are left out.',
  })
  @ApiPageResponse(PluginConfigResponse)
  list(@Project() project: ProjectContext, @Window() window: PageWindow): Promise<Page> {
    return this.configs.list(placeOf(project), window);
  }

  @Post()
  @Writes({
    summary: 'Use a plugin in the project',
    description: 'A plugin can be used several times. Secrets are stored encrypted and never answered.',
  })
  @ApiCreatedResponse({ type: PluginConfigResponse, description: 'The config.' })
  create(
    @Project() project: ProjectContext,
    @Body() body: CreatePluginConfigRequest,
  ): Promise<Representation> {
    return this.configs.create(placeOf(project), { ...detailsOf(body), plugin: body.plugin });
  }

  // Paths without an id stand before those with one, which would take them.

  @Post('rearrange')
  @Rearranges('Change the order of several configs')
  rearrange(
    @Project() project: ProjectContext,
    @Body() body: RearrangePluginConfigsRequest,
  ): Promise<Representation> {
    return this.configs.rearrange(placeOf(project), ordersOf(body));
  }

  /** The method that PostHog has for it. */
  @Patch('rearrange')
  @Rearranges('Change the order of several configs, as PostHog spells it')
  rearrangePartialUpdate(
    @Project() project: ProjectContext,
    @Body() body: RearrangePluginConfigsRequest,
  ): Promise<Representation> {
    return this.rearrange(project, body);
  }

  @Get(':id')
  @Reads({ summary: 'Retrieve a config', description: 'A deleted one as well.' })
  @ApiOkResponse({ type: PluginConfigResponse, description: 'The config.' })
  retrieve(@Project() project: ProjectContext, @Id() id: number): Promise<Representation> {
    return this.configs.retrieve(placeOf(project), id);
  }

  @Patch(':id')
  @Writes({ summary: 'Change a config', description: 'Also a deleted one; `deleted` false restores it.' })
  // Without it, Swagger UI would offer every field, and with them `deleted`.
  @ApiBody({ type: UpdatePluginConfigRequest, examples: { enabled: { value: { enabled: true } } } })
  @ApiOkResponse({ type: PluginConfigResponse, description: 'The config after the change.' })
  update(
    @Project() project: ProjectContext,
    @Id() id: number,
    @Body() body: UpdatePluginConfigRequest,
  ): Promise<Representation> {
    return this.configs.update(placeOf(project), id, detailsOf(body));
  }

  @Put(':id')
  @Writes({
    summary: 'Replace a config',
    description: '`plugin` must be given, and is ignored. Other fields that are left out keep their values.',
  })
  @ApiOkResponse({ type: PluginConfigResponse, description: 'The config after the change.' })
  replace(
    @Project() project: ProjectContext,
    @Id() id: number,
    @Body() body: CreatePluginConfigRequest,
  ): Promise<Representation> {
    return this.configs.update(placeOf(project), id, detailsOf(body));
  }

  @Delete(':id')
  @HttpCode(204)
  @Writes({
    summary: 'Delete a config',
    description: 'It is disabled and left out of lists. It can be restored with PATCH.',
  })
  @ApiNoContentResponse({ description: 'Deleted.' })
  delete(@Project() project: ProjectContext, @Id() id: number): Promise<void> {
    return this.configs.delete(placeOf(project), id);
  }
}

const placeOf = ({ id, organization }: ProjectContext): ConfigPlace => ({
  organizationId: organization.id,
  projectId: id,
});
