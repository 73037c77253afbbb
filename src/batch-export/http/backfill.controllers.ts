import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { InOrganization, InProject } from '../../shared/http/access';
import { BackfillOperations } from './backfill-operations';

@ApiTags('Batch exports')
@InOrganization()
@Controller('api/organizations/:organization_id/batch_exports/:id/backfills')
export class BatchExportBackfillsController extends BackfillOperations {}

@ApiTags('Batch exports')
@InProject()
@Controller('api/projects/:project_id/batch_exports/:id/backfills')
export class ProjectBatchExportBackfillsController extends BackfillOperations {}
