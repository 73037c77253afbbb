import { applyDecorators, Body, Delete, Get, HttpCode, Injectable, Patch, Put } from '@nestjs/common';
import {
  ApiBadGatewayResponse,
  ApiBadRequestResponse,
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  type ApiOperationOptions,
} from '@nestjs/swagger';
import { ApiActivityResponse } from '../../activity/index';
import { Caller, Organization, type OrganizationContext, Principal } from '../../identity/index';
import { PluginsAccess } from '../../shared/domain/level';
import {
  type NumberedWindow,
  type Page,
  type PageWindow,
  type Representation,
} from '../../shared/domain/representation';
import { InOrganization, RequiresPluginsAccess, RequiresScope } from '../../shared/http/access';
import { OnRequest } from '../../shared/http/answers';
import { ErrorResponse } from '../../shared/http/openapi/error.response';
import { ApiOnRequestResponse, ApiOnRequestSchema } from '../../shared/http/openapi/on-request.response';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { IntegerParam, NumberedPages, Window } from '../../shared/http/parameters';
import { Post } from '../../shared/idempotency/post';
import { PluginCatalogue } from '../catalogue/plugin-catalogue';
import type { PluginFamily, PluginShelf } from '../domain/plugin-family';
import { PluginService } from '../plugin.service';
import { PluginConfigService } from '../plugin-config.service';
import { PluginInstallationService } from '../plugin-installation.service';
import { PluginSourceService } from '../plugin-source.service';
import { CreatePluginRequest, detailsOf, UpdatePluginRequest } from './plugin.requests';
import { CataloguedPluginResponse, PluginResponse, PluginUpdatesResponse } from './plugin.responses';
import { PluginConfigResponse } from './plugin-config.responses';
import { SOURCE_EDIT_SCHEMA, type SourceEditRequest, SourcePipe } from './source.pipe';

/** Access that reading plugins needs (PLUG-05). */
const Reads = (operation: ApiOperationOptions) =>
  applyDecorators(
    RequiresScope('plugin:read'),
    RequiresPluginsAccess(PluginsAccess.Config),
    ApiOperation(operation),
  );
/** Access that changing plugins needs (PLUG-05). */
const Writes = (operation: ApiOperationOptions) =>
  applyDecorators(
    RequiresScope('plugin:write'),
    RequiresPluginsAccess(PluginsAccess.Install),
    ApiOperation(operation),
  );
/** What can go wrong at the host that the plugin comes from. */
const Fetches = () =>
  ApiBadGatewayResponse({
    type: ErrorResponse,
    description: 'Where the plugin comes from does not answer within 30 seconds, or not as it should.',
  });
const PluginId = () => IntegerParam('id', 'Id of the plugin.');
const SOURCE = {
  type: 'object',
  description: 'Contents by file name.',
  additionalProperties: { type: 'string' },
  example: { 'index.ts': 'export function onEvent(event) {}' },
};
const IGNORED_BODY = {
  required: false,
  description: 'Ignored.',
  schema: { type: 'object', additionalProperties: true },
};

/** The thirteen operations of every family, and PUT (D17). A family's own controller says which family it is. */
@Injectable()
@InOrganization()
export abstract class PluginsController {
  protected abstract readonly family: PluginFamily;

  constructor(
    private readonly plugins: PluginService,
    private readonly sources: PluginSourceService,
    private readonly configs: PluginConfigService,
    private readonly catalogue: PluginCatalogue,
    private readonly installations: PluginInstallationService,
  ) {}

  @Get()
  @Reads({
    summary: 'List the plugins of this family',
    description:
      "By id: the organization's own plugins, the global ones of any organization, and those that its projects have " +
      'configs for.',
  })
  @ApiPageResponse(PluginResponse)
  list(@Organization() organization: OrganizationContext, @Window() window: PageWindow): Promise<Page> {
    return this.plugins.list(this.shelf(organization), window);
  }

  @Post()
  @Writes({
    summary: 'Install a plugin in this family',
    description:
      'It belongs to this family for good. One with a `url` is fetched from there, which takes at most 30 seconds; a ' +
      '`url` can be installed once on a server. Its `plugin.json` says the `name`, the `description`, the `icon`, the ' +
      '`config_schema` (`config`) and the `public_jobs` (`publicJobs`); for what it does not say of the first three, ' +
      'the body is asked. A `posthogVersion` must admit 1.43.0, whose plugins this server takes. `tag` and `latest_tag` are the version, the commit or, of an archive, the hash. Its source ' +
      'is read, not executed, to find out the `capabilities`, unless the body has them. Of the files, code and JSON ' +
      'are kept, at most 100 with 5,000,000 characters together. Archives have at most 20 MiB, unpacked 60 MiB and ' +
      '5000 files, and no links.',
  })
  @ApiCreatedResponse({ type: PluginResponse, description: 'The plugin.' })
  @Fetches()
  create(
    @Organization() organization: OrganizationContext,
    @Body() body: CreatePluginRequest,
  ): Promise<Representation> {
    const details = { ...detailsOf(body), url: body.url };
    return this.installations.create(this.shelf(organization), details);
  }

  // Paths without an id stand before those with one, which would take them.

  @Get('activity')
  @Reads({
    summary: 'List who changed which plugin of this family',
    description:
      'What the organization did to plugins, also to those that are deleted, newest first: `installed`, `updated`, ' +
      '`source_updated`, `upgraded`, `uninstalled`; and in those of its projects that you see `config_updated`, ' +
      '`enabled`, `disabled`, `order_changed`. Secrets are masked.',
  })
  @ApiActivityResponse()
  async activity(
    @Caller() { userId }: Principal,
    @Organization() organization: OrganizationContext,
    @NumberedPages() window: NumberedWindow,
  ): Promise<OnRequest> {
    return new OnRequest(await this.plugins.activity(this.shelf(organization), userId, window));
  }

  @Get('exports_unsubscribe_configs')
  @Reads({
    summary: 'List the plugin configurations that send data out',
    description:
      "The enabled ones of this family in those of the organization's projects that you see, by project and order, at " +
      'most 1000. Left out are those of plugins without capabilities, and of global plugins that process events.',
  })
  @ApiOnRequestResponse(PluginConfigResponse, 'array')
  async exportsUnsubscribeConfigs(
    @Caller() { userId }: Principal,
    @Organization() organization: OrganizationContext,
  ): Promise<OnRequest> {
    return new OnRequest(await this.configs.exporting(this.shelf(organization), userId));
  }

  @Get('repository')
  @Reads({
    summary: 'List the plugins of the public catalogue',
    description:
      'Known plugins, the same in every family; their `url` can be installed. 503 while the catalogue of the operator ' +
      'cannot be read and never could.',
  })
  @ApiOnRequestResponse(CataloguedPluginResponse, 'array')
  async repository(): Promise<OnRequest> {
    return new OnRequest(await this.catalogue.list());
  }

  @Get('unused')
  @Reads({
    summary: 'List the ids of the plugins that no project uses',
    description:
      'Of those that the list of this family shows, the ones that are enabled in no project of any organization.',
  })
  @ApiOnRequestSchema({
    type: 'array',
    items: { type: 'integer' },
    description: 'Ids of plugins, ascending.',
    example: [42],
  })
  async unused(@Organization() organization: OrganizationContext): Promise<OnRequest> {
    return new OnRequest(await this.plugins.unused(this.shelf(organization)));
  }

  @Get(':id')
  @Reads({ summary: 'Retrieve a plugin' })
  @ApiOkResponse({ type: PluginResponse, description: 'The plugin.' })
  retrieve(
    @Organization() organization: OrganizationContext,
    @PluginId() id: number,
  ): Promise<Representation> {
    return this.plugins.retrieve(this.shelf(organization), id);
  }

  @Patch(':id')
  @Writes({
    summary: 'Change a plugin',
    description: 'For members of the organization that installed it.',
  })
  // Without it, Swagger UI would offer every field, and `is_global` is not for everyone.
  @ApiBody({ type: UpdatePluginRequest, examples: { name: { value: { name: 'Hello world' } } } })
  @ApiOkResponse({ type: PluginResponse, description: 'The plugin after the change.' })
  update(
    @Organization() organization: OrganizationContext,
    @PluginId() id: number,
    @Body() body: UpdatePluginRequest,
  ): Promise<Representation> {
    return this.plugins.update(this.shelf(organization), id, detailsOf(body));
  }

  @Put(':id')
  @Writes({
    summary: 'Replace a plugin',
    description:
      'For members of the organization that installed it. Fields that are left out keep their values; `url` is ignored.',
  })
  @ApiOkResponse({ type: PluginResponse, description: 'The plugin after the change.' })
  replace(
    @Organization() organization: OrganizationContext,
    @PluginId() id: number,
    @Body() body: UpdatePluginRequest,
  ): Promise<Representation> {
    return this.plugins.replace(this.shelf(organization), id, detailsOf(body));
  }

  @Delete(':id')
  @HttpCode(204)
  @Writes({
    summary: 'Uninstall a plugin',
    description:
      'For members of the organization that installed it. Its source is deleted, and its configs in every project; its ' +
      'activity stays. A global plugin must be made local first.',
  })
  @ApiNoContentResponse({ description: 'Uninstalled.' })
  @ApiBadRequestResponse({ type: ErrorResponse, description: 'The plugin is global.' })
  delete(@Organization() organization: OrganizationContext, @PluginId() id: number): Promise<void> {
    return this.plugins.delete(this.shelf(organization), id);
  }

  // Of those below, the reading ones need install access as well and say so in words of their own (PLUG-26).

  @Get(':id/check_for_updates')
  @Reads({
    summary: 'Look for a newer version of a plugin',
    description:
      'Asks where the plugin comes from, at most every 30 minutes, for its newest version or commit: the `latest_tag`. ' +
      'A plugin without a `url` stays as it is. For members of the organization that installed it, with plugins access ' +
      'level 6.',
  })
  @ApiOnRequestResponse(PluginUpdatesResponse)
  @ApiBadRequestResponse({ type: ErrorResponse, description: 'There is nothing at its address any more.' })
  @Fetches()
  async checkForUpdates(
    @Organization() organization: OrganizationContext,
    @PluginId() id: number,
  ): Promise<OnRequest> {
    return new OnRequest(await this.installations.checkForUpdates(this.shelf(organization), id));
  }

  @Get(':id/source')
  @Reads({
    summary: "Read a plugin's source",
    description:
      'Contents by file name. For members of the organization that installed it, with plugins access level 6.',
  })
  @ApiOnRequestSchema(SOURCE)
  async source(
    @Organization() organization: OrganizationContext,
    @PluginId() id: number,
  ): Promise<OnRequest> {
    return new OnRequest(await this.sources.retrieve(this.shelf(organization), id));
  }

  @Patch(':id/update_source')
  @Writes({
    summary: "Change a plugin's source",
    description:
      'A map of file names, each a relative path, to contents; null deletes a file, and files that are not named stay. ' +
      'Of a `plugin.json`, `name` and `config` become the name and the `config_schema` of the plugin. A plugin has at ' +
      'most 100 files with 5,000,000 characters together. Files are stored as they are; the code is read, not executed, ' +
      'to find out the `capabilities`, and `site.ts` and `frontend.tsx` are transpiled. Code that does not parse is no ' +
      'error: the `capabilities` are then `{}`. Answers all files after the change. For members of the organization that installed it.',
  })
  @ApiBody({ schema: { ...SOURCE_EDIT_SCHEMA } })
  @ApiOnRequestSchema(SOURCE)
  async updateSource(
    @Organization() organization: OrganizationContext,
    @PluginId() id: number,
    @Body(new SourcePipe()) { edit, manifest }: SourceEditRequest,
  ): Promise<OnRequest> {
    return new OnRequest(await this.sources.update(this.shelf(organization), id, edit, manifest));
  }

  @Post(':id/upgrade')
  @Writes({
    summary: 'Bring a plugin to its newest version',
    description:
      'Fetches it from its `url` again, as installing does. What its `plugin.json` says, its capabilities and its ' +
      'source become those of the newest version, edits of the source are lost; where anything fails, all stays as it ' +
      'is. A plugin without a `url` stays as it is. For members of the organization that installed it.',
  })
  @ApiBody(IGNORED_BODY)
  @ApiOnRequestResponse(PluginResponse)
  @Fetches()
  async upgrade(
    @Organization() organization: OrganizationContext,
    @PluginId() id: number,
  ): Promise<OnRequest> {
    return new OnRequest(await this.installations.upgrade(this.shelf(organization), id));
  }

  private shelf({ id, pluginsAccessLevel }: OrganizationContext): PluginShelf {
    return { family: this.family, organizationId: id, access: pluginsAccessLevel };
  }
}
