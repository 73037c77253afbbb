import { Body, Delete, Get, HttpCode, Injectable, Patch, Put } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import { Caller, Principal } from '../../identity/index';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { RequiresScope } from '../../shared/http/access';
import { OnRequest } from '../../shared/http/answers';
import { ApiOnRequestResponse } from '../../shared/http/openapi/on-request.response';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { UuidParam, Window } from '../../shared/http/parameters';
import { Post } from '../../shared/idempotency/post';
import { BackfillService } from '../backfill.service';
import { BatchExportService } from '../batch-export.service';
import type { ExportScope } from '../domain/export-scope';
import { BackfillRequest, boundsOf } from './backfill.request';
import {
  CreateBatchExportRequest,
  detailsOf,
  newBatchExport,
  UnpauseRequest,
  UpdateBatchExportRequest,
} from './batch-export.requests';
import { BatchExportResponse, LogEntryResponse } from './batch-export.responses';
import { Within } from './export-scope.param';
import { type LogQuery, Logs } from './log-query.param';
import { BackfillResponse } from './run.responses';

const Id = () => UuidParam('id', 'Id of the batch export.');

/** The operations on batch exports, the same under an organization and under a project (D16). Members do all (BE-39). */
@Injectable()
export abstract class BatchExportOperations {
  constructor(
    private readonly batchExports: BatchExportService,
    private readonly backfills: BackfillService,
  ) {}

  @Get()
  @RequiresScope('batch_export:read')
  @ApiOperation({
    summary: 'List batch exports',
    description: 'Newest first; of an organization those of all its projects that you see.',
  })
  @ApiPageResponse(BatchExportResponse)
  list(@Within() scope: ExportScope, @Window() window: PageWindow): Promise<Page> {
    return this.batchExports.list(scope, window);
  }

  @Post()
  @RequiresScope('batch_export:write')
  @ApiOperation({
    summary: 'Create a batch export',
    description:
      'Under an organization it exports the data of your current project, or of the oldest that you see when that is ' +
      'elsewhere. ' +
      'As soon as an interval has ended, a run exports what arrived in it; the first is the interval that is open ' +
      'now. What arrived before is exported by a backfill. After ten runs in a row that failed it is paused. ' +
      'The credentials of the destination are stored encrypted and never answered.',
  })
  @ApiCreatedResponse({ type: BatchExportResponse, description: 'The batch export.' })
  create(
    @Caller() caller: Principal,
    @Within() scope: ExportScope,
    @Body() body: CreateBatchExportRequest,
  ): Promise<Representation> {
    return this.batchExports.create(scope, caller.currentProjectId, newBatchExport(body));
  }

  @Get(':id')
  @RequiresScope('batch_export:read')
  @ApiOperation({ summary: 'Retrieve a batch export' })
  @ApiOkResponse({ type: BatchExportResponse, description: 'The batch export.' })
  retrieve(@Within() scope: ExportScope, @Id() id: string): Promise<Representation> {
    return this.batchExports.retrieve(scope, id);
  }

  @Patch(':id')
  @RequiresScope('batch_export:write')
  @ApiOperation({
    summary: 'Change a batch export',
    description: 'The configuration of the destination is merged field by field.',
  })
  @ApiOkResponse({ type: BatchExportResponse, description: 'The batch export after the change.' })
  update(
    @Within() scope: ExportScope,
    @Id() id: string,
    @Body() body: UpdateBatchExportRequest,
  ): Promise<Representation> {
    return this.batchExports.update(scope, id, detailsOf(body));
  }

  @Put(':id')
  @RequiresScope('batch_export:write')
  @ApiOperation({
    summary: 'Replace the settings of a batch export',
    description:
      'Required fields must be given as on create, those of the destination as well; optional ones that are left ' +
      'out keep their values.',
  })
  @ApiOkResponse({ type: BatchExportResponse, description: 'The batch export after the change.' })
  replace(
    @Within() scope: ExportScope,
    @Id() id: string,
    @Body() body: CreateBatchExportRequest,
  ): Promise<Representation> {
    return this.batchExports.update(scope, id, detailsOf(body, { whole: true }));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('batch_export:write')
  @ApiOperation({
    summary: 'Delete a batch export',
    description:
      'Its backfills and runs that have not ended are cancelled; what they have sent stays at the destination.',
  })
  @ApiNoContentResponse({ description: 'Deleted.' })
  delete(@Within() scope: ExportScope, @Id() id: string): Promise<void> {
    return this.batchExports.delete(scope, id);
  }

  @Post(':id/backfill')
  @RequiresScope('batch_export:write')
  @ApiOperation({
    summary: 'Export past data again',
    description:
      'Makes a backfill with one run for each interval that the bounds touch, at most 10,000, beginning with the ' +
      'interval in which the first data arrived. At most two of its runs are executed at a time, the oldest interval ' +
      'first, and those of the schedule come before them. Also for a paused batch export. How far it is, the list of ' +
      'backfills tells.',
  })
  @ApiBody({ type: BackfillRequest, required: false })
  @ApiOnRequestResponse(BackfillResponse)
  async backfill(
    @Within() scope: ExportScope,
    @Id() id: string,
    @Body() body: BackfillRequest,
  ): Promise<OnRequest> {
    return new OnRequest(await this.backfills.request(scope, id, boundsOf(body)));
  }

  @Get(':id/logs')
  @RequiresScope('batch_export:read')
  @ApiOperation({
    summary: 'Read the log of a batch export',
    description:
      'What its runs and backfills tell of themselves, newest first. Entries are kept for 30 days.',
  })
  @ApiOnRequestResponse(LogEntryResponse, 'page')
  async logs(
    @Within() scope: ExportScope,
    @Id() id: string,
    @Logs() { filter, window }: LogQuery,
  ): Promise<OnRequest> {
    return new OnRequest(await this.batchExports.logs(scope, id, filter, window));
  }

  @Post(':id/pause')
  @RequiresScope('batch_export:write')
  @ApiOperation({
    summary: 'Pause a batch export',
    description:
      'Its backfills and runs that have not ended are cancelled. Nothing changes when it is paused already. Needs no ' +
      'body; one is ignored.',
  })
  @ApiOnRequestResponse(BatchExportResponse)
  async pause(@Within() scope: ExportScope, @Id() id: string): Promise<OnRequest> {
    return new OnRequest(await this.batchExports.pause(scope, id));
  }

  @Post(':id/unpause')
  @RequiresScope('batch_export:write')
  @ApiOperation({
    summary: 'Unpause a batch export',
    description:
      'It goes on with the interval that is open now; with `backfill`, what the pause kept from being exported is ' +
      'exported as well. Nothing changes when it is not paused. Needs no body.',
  })
  @ApiBody({ type: UnpauseRequest, required: false })
  @ApiOnRequestResponse(BatchExportResponse)
  async unpause(
    @Within() scope: ExportScope,
    @Id() id: string,
    @Body() { backfill = false }: UnpauseRequest,
  ): Promise<OnRequest> {
    return new OnRequest(await this.batchExports.unpause(scope, id, { backfill }));
  }
}
