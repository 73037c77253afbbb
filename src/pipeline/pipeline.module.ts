import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/index';
import {
  PipelineDestinationsController,
  PipelineFrontendAppsController,
  PipelineImportAppsController,
  PipelineTransformationsController,
} from './http/family.controllers';
import { PluginQueries } from './persistence/plugin.queries';
import { PluginRepository } from './persistence/plugin.repository';
import { PluginSourceRepository } from './persistence/plugin-source.repository';
import { PluginService } from './plugin.service';
import { PluginSourceService } from './plugin-source.service';

/** Plugins of the four pipeline families. */
@Module({
  imports: [ActivityModule],
  controllers: [
    PipelineDestinationsController,
    PipelineFrontendAppsController,
    PipelineImportAppsController,
    PipelineTransformationsController,
  ],
  providers: [PluginService, PluginSourceService, PluginRepository, PluginSourceRepository, PluginQueries],
})
export class PipelineModule {}
