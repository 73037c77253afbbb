import { Module } from '@nestjs/common';
import { ActionService } from './action.service';
import { ActionsController } from './http/actions.controller';
import { ActionQueries } from './persistence/action.queries';
import { ActionRepository } from './persistence/action.repository';

/** Named definitions that match events. */
@Module({
  controllers: [ActionsController],
  providers: [ActionService, ActionRepository, ActionQueries],
})
export class ActionModule {}
