import { Module } from '@nestjs/common';

/** Who changed what. */
@Module({})
export class ActivityModule {}
