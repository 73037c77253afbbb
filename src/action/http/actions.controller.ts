import { Body, Controller, Delete, Get, Patch, Put, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, Principal, Project, type ProjectContext } from '../../identity/index';
import type { Page, PageWindow } from '../../shared/domain/representation';
import { InProject, Refused, RequiresScope } from '../../shared/http/access';
import { MethodNotAllowed } from '../../shared/http/http-errors';
import { IntegerParam, Window } from '../../shared/http/parameters';
import { Post } from '../../shared/idempotency/post';
import { type ActionPlace, ActionService } from '../action.service';
import { ActionTableService } from '../action-table.service';
import { CreateActionRequest, detailsOf, UpdateActionRequest } from './action.requests';
import { CsvAnswers } from './csv-answers';
import {
  ApiActionResponse,
  ApiFormats,
  type Format,
  InFormat,
  type ShownAction,
  shown,
  Table,
  type TableRequest,
} from './format';

const ID = 'Id of the action.';
const NOT_DELETED = 'Actions are not deleted for good. Send PATCH with `deleted` true instead.';

@ApiTags('Actions')
@Controller('api/projects/:project_id/actions')
@InProject()
@ApiFormats()
export class ActionsController {
  constructor(
    private readonly actions: ActionService,
    private readonly tables: ActionTableService,
    private readonly csv: CsvAnswers,
  ) {}

  @Get()
  @RequiresScope('action:read')
  @ApiOperation({
    summary: 'List the actions of a project',
    description:
      'Latest calculated first, then by name. Deleted ones are left out. As CSV the whole list, from `offset` on, ' +
      'unless `limit` is given; a table that fails half-way ends with the connection.',
  })
  @ApiActionResponse(200, 'page', 'One page of the list.')
  list(
    @Project() { id }: ProjectContext,
    @Window() window: PageWindow,
    @Table() table: TableRequest | null,
  ): Promise<Page | StreamableFile> {
    if (table === null) return this.actions.list(id, window);
    const rows = { limit: table.whole ? null : window.limit, offset: window.offset };
    return this.csv.answer(() => this.tables.table(id, rows, table.gone), table.gone);
  }

  @Post()
  @RequiresScope('action:write')
  @ApiOperation({
    summary: 'Create an action',
    description:
      'A step whose regular expression (RE2) or selector does not compile is kept and matches nothing; ' +
      '`bytecode_error` says which.',
  })
  @ApiActionResponse(201, 'one', 'The action.')
  async create(
    @Caller() { userId }: Principal,
    @Project() project: ProjectContext,
    @InFormat() format: Format,
    @Body() body: CreateActionRequest,
  ): Promise<ShownAction> {
    return shown(await this.actions.create(placeOf(project), userId, detailsOf(body)), format);
  }

  @Get(':id')
  @RequiresScope('action:read')
  @ApiOperation({ summary: 'Retrieve an action', description: 'A deleted one as well.' })
  @ApiActionResponse(200, 'one', 'The action.')
  async retrieve(
    @Project() { id: projectId }: ProjectContext,
    @InFormat() format: Format,
    @IntegerParam('id', ID) id: number,
  ): Promise<ShownAction> {
    return shown(await this.actions.retrieve(projectId, id), format);
  }

  @Put(':id')
  @RequiresScope('action:write')
  @ApiOperation({
    summary: 'Replace the settings of an action',
    description:
      'Required fields must be given as on create; optional ones that are left out keep their values.',
  })
  @ApiActionResponse(200, 'one', 'The action after the change.')
  async replace(
    @Project() project: ProjectContext,
    @InFormat() format: Format,
    @IntegerParam('id', ID) id: number,
    @Body() body: CreateActionRequest,
  ): Promise<ShownAction> {
    return shown(await this.actions.update(placeOf(project), id, detailsOf(body)), format);
  }

  @Patch(':id')
  @RequiresScope('action:write')
  @ApiOperation({
    summary: 'Change, delete or restore an action',
    description:
      '`deleted` true deletes it softly, `deleted` false restores it. Steps and tags are replaced.',
  })
  @ApiActionResponse(200, 'one', 'The action after the change.')
  async update(
    @Project() project: ProjectContext,
    @InFormat() format: Format,
    @IntegerParam('id', ID) id: number,
    @Body() body: UpdateActionRequest,
  ): Promise<ShownAction> {
    return shown(await this.actions.update(placeOf(project), id, detailsOf(body)), format);
  }

  @Delete(':id')
  @RequiresScope('action:write')
  @Refused(NOT_DELETED)
  @ApiOperation({ summary: 'Refused: an action is deleted by PATCH', description: NOT_DELETED })
  async delete(
    @Project() { id: projectId }: ProjectContext,
    @InFormat() _format: Format,
    @IntegerParam('id', ID) id: number,
  ): Promise<never> {
    await this.actions.retrieve(projectId, id);
    throw new MethodNotAllowed('DELETE', NOT_DELETED);
  }
}

const placeOf = ({ id, organization }: ProjectContext): ActionPlace => ({
  organizationId: organization.id,
  projectId: id,
});
