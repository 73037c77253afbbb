import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { InOrganization } from '../../shared/http/access';
import { BatchExportOperations } from './batch-export-operations';

@ApiTags('Batch exports')
@InOrganization()
@Controller('api/organizations/:organization_id/batch_exports')
export class BatchExportsController extends BatchExportOperations {}
