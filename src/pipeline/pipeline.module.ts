import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/index';
import { PluginCatalogue } from './catalogue/plugin-catalogue';
import { ModuleParser } from './code/module-parser';
import { PluginCompiler } from './code/plugin-compiler';
import { Transpiler } from './code/transpiler';
import { FetchLimits } from './hosts/fetch-limits';
import { GitHub } from './hosts/github';
import { GitLab } from './hosts/gitlab';
import { HostLine } from './hosts/host-line';
import { NpmRegistry } from './hosts/npm-registry';
import { PluginFolders } from './hosts/plugin-folders';
import { PluginHosts } from './hosts/plugin-hosts';
import { WebServer } from './hosts/web-server';
import {
  PipelineDestinationsController,
  PipelineFrontendAppsController,
  PipelineImportAppsController,
  PipelineTransformationsController,
} from './http/family.controllers';
import { PluginConfigsController } from './http/plugin-configs.controller';
import { PluginQueries } from './persistence/plugin.queries';
import { PluginRepository } from './persistence/plugin.repository';
import { PluginConfigQueries } from './persistence/plugin-config.queries';
import { PluginConfigRepository } from './persistence/plugin-config.repository';
import { PluginSourceRepository } from './persistence/plugin-source.repository';
import { PluginService } from './plugin.service';
import { PluginConfigService } from './plugin-config.service';
import { PluginInstallationService } from './plugin-installation.service';
import { PluginSecretsService } from './plugin-secrets.service';
import { PluginSourceService } from './plugin-source.service';

/** Plugins of the four pipeline families. */
@Module({
  imports: [ActivityModule],
  controllers: [
    PipelineDestinationsController,
    PipelineFrontendAppsController,
    PipelineImportAppsController,
    PipelineTransformationsController,
    PluginConfigsController,
  ],
  providers: [
    PluginService,
    PluginSourceService,
    PluginRepository,
    PluginSourceRepository,
    PluginQueries,
    PluginConfigService,
    PluginSecretsService,
    PluginConfigRepository,
    PluginConfigQueries,
    PluginCatalogue,
    PluginInstallationService,
    PluginCompiler,
    Transpiler,
    ModuleParser,
    PluginHosts,
    NpmRegistry,
    GitHub,
    GitLab,
    WebServer,
    PluginFolders,
    HostLine,
    FetchLimits,
  ],
})
export class PipelineModule {}
