import { Module } from '@nestjs/common';
import { ActionService } from './action.service';
import { ActionTableService } from './action-table.service';
import { ActionsController } from './http/actions.controller';
import { CsvAnswers, CsvLimits } from './http/csv-answers';
import { ActionQueries } from './persistence/action.queries';
import { ActionRepository } from './persistence/action.repository';
import { ActionTableQueries } from './persistence/action-table.queries';

/** Named definitions that match events. */
@Module({
  controllers: [ActionsController],
  providers: [
    ActionService,
    ActionTableService,
    ActionRepository,
    ActionQueries,
    ActionTableQueries,
    CsvAnswers,
    CsvLimits,
  ],
})
export class ActionModule {}
