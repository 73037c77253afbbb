import { Module } from '@nestjs/common';

/** Scheduled exports of a project's data to a destination. */
@Module({})
export class BatchExportModule {}
