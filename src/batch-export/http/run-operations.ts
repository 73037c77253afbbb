import { Get, HttpCode, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { RequiresScope } from '../../shared/http/access';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { UuidParam, Window } from '../../shared/http/parameters';
import { Post } from '../../shared/idempotency/post';
import type { ExportScope } from '../domain/export-scope';
import type { RunFilter } from '../domain/run-filter';
import { RunService } from '../run.service';
import { Within } from './export-scope.param';
import { BatchExportRunResponse } from './run.responses';
import { WhichRuns } from './run-query.param';

const BatchExportId = () => UuidParam('id', 'Id of the batch export.');
const RunId = () => UuidParam('run_id', 'Id of the run.');

/** The operations on the runs of a batch export, the same under an organization and under a project. */
@Injectable()
export abstract class RunOperations {
  constructor(private readonly runs: RunService) {}

  @Get()
  @RequiresScope('batch_export:read')
  @ApiOperation({
    summary: 'List the runs of a batch export',
    description:
      'Newest first: those of the schedule and those of backfills, in the order in which they were made; of the ' +
      'runs of one backfill, that of its newest interval first. `after` and `before` together find the runs that ' +
      'export data from between the two.',
  })
  @ApiPageResponse(BatchExportRunResponse)
  list(
    @Within() scope: ExportScope,
    @BatchExportId() id: string,
    @WhichRuns() filter: RunFilter,
    @Window() window: PageWindow,
  ): Promise<Page> {
    return this.runs.list(scope, id, filter, window);
  }

  @Get(':run_id')
  @RequiresScope('batch_export:read')
  @ApiOperation({ summary: 'Retrieve a run' })
  @ApiOkResponse({ type: BatchExportRunResponse, description: 'The run.' })
  retrieve(
    @Within() scope: ExportScope,
    @BatchExportId() id: string,
    @RunId() runId: string,
  ): Promise<Representation> {
    return this.runs.retrieve(scope, id, runId);
  }

  @Post(':run_id/retry')
  @HttpCode(200)
  @RequiresScope('batch_export:write')
  @ApiOperation({
    summary: 'Run again',
    description:
      'Exports the same data again, from its beginning and to where the batch export sends it now, whatever the run ' +
      'came to; no record is at the destination twice because of it. Also while the batch export is paused; the ' +
      'backfill that the run belongs to goes on until it has ended. A run that has not ended is 400. Needs no body; ' +
      'one is ignored.',
  })
  @ApiOkResponse({ type: BatchExportRunResponse, description: 'The run, in `Starting`.' })
  retry(
    @Within() scope: ExportScope,
    @BatchExportId() id: string,
    @RunId() runId: string,
  ): Promise<Representation> {
    return this.runs.retry(scope, id, runId);
  }

  @Post(':run_id/cancel')
  @HttpCode(200)
  @RequiresScope('batch_export:write')
  @ApiOperation({
    summary: 'Cancel a run',
    description:
      'What it has sent stays at the destination. A run that has ended is 400. Needs no body; one is ignored.',
  })
  @ApiOkResponse({ type: BatchExportRunResponse, description: 'The run, in `Cancelled`.' })
  cancel(
    @Within() scope: ExportScope,
    @BatchExportId() id: string,
    @RunId() runId: string,
  ): Promise<Representation> {
    return this.runs.cancel(scope, id, runId);
  }
}
