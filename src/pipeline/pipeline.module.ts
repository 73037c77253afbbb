import { Module } from '@nestjs/common';

/** Plugins of the four pipeline families. */
@Module({})
export class PipelineModule {}
