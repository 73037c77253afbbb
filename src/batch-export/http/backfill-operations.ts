import { Body, Get, HttpCode, Injectable } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { RequiresScope } from '../../shared/http/access';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { UuidParam, Window } from '../../shared/http/parameters';
import { Post } from '../../shared/idempotency/post';
import { BackfillService } from '../backfill.service';
import type { ExportScope } from '../domain/export-scope';
import { BackfillRequest, boundsOf } from './backfill.request';
import { Within } from './export-scope.param';
import { BackfillResponse } from './run.responses';

const BatchExportId = () => UuidParam('id', 'Id of the batch export.');
const BackfillId = () => UuidParam('backfill_id', 'Id of the backfill.');

/** The operations on the backfills of a batch export, the same under an organization and under a project. */
@Injectable()
export abstract class BackfillOperations {
  constructor(private readonly backfills: BackfillService) {}

  @Get()
  @RequiresScope('batch_export:read')
  @ApiOperation({ summary: 'List the backfills of a batch export', description: 'Newest first.' })
  @ApiPageResponse(BackfillResponse)
  list(
    @Within() scope: ExportScope,
    @BatchExportId() id: string,
    @Window() window: PageWindow,
  ): Promise<Page> {
    return this.backfills.list(scope, id, window);
  }

  @Post()
  @RequiresScope('batch_export:write')
  @ApiOperation({
    summary: 'Create a backfill',
    description: 'Does what the operation `backfill` of the batch export does, and answers the backfill.',
  })
  @ApiBody({ type: BackfillRequest, required: false })
  @ApiCreatedResponse({ type: BackfillResponse, description: 'The backfill.' })
  create(
    @Within() scope: ExportScope,
    @BatchExportId() id: string,
    @Body() body: BackfillRequest,
  ): Promise<Representation> {
    return this.backfills.request(scope, id, boundsOf(body));
  }

  @Get(':backfill_id')
  @RequiresScope('batch_export:read')
  @ApiOperation({ summary: 'Retrieve a backfill' })
  @ApiOkResponse({ type: BackfillResponse, description: 'The backfill.' })
  retrieve(
    @Within() scope: ExportScope,
    @BatchExportId() id: string,
    @BackfillId() backfillId: string,
  ): Promise<Representation> {
    return this.backfills.retrieve(scope, id, backfillId);
  }

  @Post(':backfill_id/cancel')
  @HttpCode(200)
  @RequiresScope('batch_export:write')
  @ApiOperation({
    summary: 'Cancel a backfill',
    description:
      'Its runs that have not ended are cancelled with it. A backfill that has ended is 400. Needs no body; one is ' +
      'ignored.',
  })
  @ApiOkResponse({ type: BackfillResponse, description: 'The backfill, in `Cancelled`.' })
  cancel(
    @Within() scope: ExportScope,
    @BatchExportId() id: string,
    @BackfillId() backfillId: string,
  ): Promise<Representation> {
    return this.backfills.cancel(scope, id, backfillId);
  }
}
