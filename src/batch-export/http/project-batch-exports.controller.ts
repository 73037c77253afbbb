import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { InProject } from '../../shared/http/access';
import { BatchExportOperations } from './batch-export-operations';

@ApiTags('Batch exports')
@InProject()
@Controller('api/projects/:project_id/batch_exports')
export class ProjectBatchExportsController extends BatchExportOperations {}
