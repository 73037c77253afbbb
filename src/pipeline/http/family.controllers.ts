import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PluginsController } from './plugins.controller';

@ApiTags('Pipeline destinations')
@Controller('api/organizations/:organization_id/pipeline_destinations')
export class PipelineDestinationsController extends PluginsController {
  protected readonly family = 'pipeline_destinations';
}

@ApiTags('Pipeline frontend apps')
@Controller('api/organizations/:organization_id/pipeline_frontend_apps')
export class PipelineFrontendAppsController extends PluginsController {
  protected readonly family = 'pipeline_frontend_apps';
}

@ApiTags('Pipeline import apps')
@Controller('api/organizations/:organization_id/pipeline_import_apps')
export class PipelineImportAppsController extends PluginsController {
  protected readonly family = 'pipeline_import_apps';
}

@ApiTags('Pipeline transformations')
@Controller('api/organizations/:organization_id/pipeline_transformations')
export class PipelineTransformationsController extends PluginsController {
  protected readonly family = 'pipeline_transformations';
}
