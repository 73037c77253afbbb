import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { InOrganization, InProject } from '../../shared/http/access';
import { RunOperations } from './run-operations';

@ApiTags('Batch exports')
@InOrganization()
@Controller('api/organizations/:organization_id/batch_exports/:id/runs')
export class BatchExportRunsController extends RunOperations {}

@ApiTags('Batch exports')
@InProject()
@Controller('api/projects/:project_id/batch_exports/:id/runs')
export class ProjectBatchExportRunsController extends RunOperations {}
