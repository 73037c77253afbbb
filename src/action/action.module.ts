import { Module } from '@nestjs/common';

/** Named definitions that match events. */
@Module({})
export class ActionModule {}
