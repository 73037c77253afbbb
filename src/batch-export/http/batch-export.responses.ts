import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { MODELS } from '../domain/batch-export';
import { DESTINATION_TYPE_NAMES } from '../domain/destination-types';
import { INTERVALS } from '../domain/interval';
import { LOG_LEVELS } from '../domain/log-entry';
import { RUN_STATUSES } from '../domain/run';

const ID = '0195b1f4-7c1c-7000-8000-0123456789ab';
const MOMENT = '2025-03-01T09:30:00.250000Z';

const nullableMoment = { type: 'string', format: 'date-time', nullable: true, example: null } as const;
const nullableInteger = {
  type: 'integer',
  minimum: -(2 ** 31),
  maximum: 2 ** 31 - 1,
  nullable: true,
} as const;

@ApiSchema({ name: 'Destination', description: 'Where a batch export sends its data.' })
export class DestinationResponse {
  @ApiProperty({ enum: DESTINATION_TYPE_NAMES, example: 'S3', description: 'The kind of destination.' })
  type!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { bucket_name: 'acme-events', region: 'eu-central-1', prefix: 'daily/' },
    description: 'How to get there, as it was given, without its secrets.',
  })
  config!: Record<string, unknown>;
}

@ApiSchema({ name: 'BatchExportRun', description: 'The export of the data of one interval.' })
export class BatchExportRunResponse {
  @ApiProperty({ format: 'uuid', example: ID, description: 'Id of the run.' })
  id!: string;

  @ApiProperty({ enum: RUN_STATUSES, example: 'Starting', description: 'What the run has come to.' })
  status!: string;

  @ApiProperty({ ...nullableInteger, example: null, description: 'How many records have been exported.' })
  records_completed!: number | null;

  @ApiProperty({ type: 'string', nullable: true, example: null, description: 'What went wrong last.' })
  latest_error!: string | null;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T08:00:00Z',
    description: 'The data is from this moment on.',
  })
  data_interval_start!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:00:00Z',
    description: 'The data is from before this moment.',
  })
  data_interval_end!: string;

  @ApiProperty({ type: 'string', nullable: true, example: null, description: 'How far the run has come.' })
  cursor!: string | null;

  @ApiProperty({ format: 'date-time', example: MOMENT, description: 'When it was made.' })
  created_at!: string;

  @ApiProperty({ ...nullableMoment, description: 'When it ended, or null.' })
  finished_at!: string | null;

  @ApiProperty({ format: 'date-time', example: MOMENT, description: 'When it last changed.' })
  last_updated_at!: string;

  @ApiProperty({ ...nullableInteger, example: null, description: 'How many records there are to export.' })
  records_total_count!: number | null;

  @ApiProperty({ format: 'uuid', example: ID, description: 'Id of the batch export.' })
  batch_export!: string;
}

@ApiSchema({ name: 'BatchExport', description: "A scheduled export of a project's data to a destination." })
export class BatchExportResponse {
  @ApiProperty({ format: 'uuid', example: ID, description: 'Id of the batch export.' })
  id!: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'Id of the project whose data it exports.' })
  team_id!: number;

  @ApiProperty({ example: 'Events to S3', description: 'A name for people.' })
  name!: string;

  @ApiProperty({ enum: MODELS, example: 'events', description: 'What is exported.' })
  model!: string;

  @ApiProperty({ type: DestinationResponse, description: 'Where the data goes.' })
  destination!: DestinationResponse;

  @ApiProperty({ enum: INTERVALS, example: 'hour', description: 'How often it runs.' })
  interval!: string;

  @ApiProperty({ example: false, description: 'Whether it is paused.' })
  paused!: boolean;

  @ApiProperty({ format: 'date-time', example: MOMENT, description: 'When it was created.' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', example: MOMENT, description: 'When it last changed.' })
  last_updated_at!: string;

  @ApiProperty({ ...nullableMoment, description: 'When it was last paused.' })
  last_paused_at!: string | null;

  @ApiProperty({ ...nullableMoment, description: 'No runs are triggered before this time.' })
  start_at!: string | null;

  @ApiProperty({ ...nullableMoment, description: 'No runs are triggered after this time.' })
  end_at!: string | null;

  @ApiProperty({ type: [BatchExportRunResponse], description: 'Its ten newest runs, newest first.' })
  latest_runs!: BatchExportRunResponse[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: null,
    description: 'What `hogql_query` compiles to, or null.',
  })
  schema!: Record<string, unknown> | null;
}

@ApiSchema({ name: 'BatchExportBackfill', description: 'A request to export past data again.' })
export class BackfillResponse {
  @ApiProperty({ format: 'uuid', example: ID, description: 'Id of the backfill.' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: ID, description: 'Id of the batch export.' })
  batch_export!: string;

  @ApiProperty({ ...nullableMoment, description: 'From when; null: from the beginning.' })
  start_at!: string | null;

  @ApiProperty({
    ...nullableMoment,
    description: 'Until when; null: up to the last interval that had ended.',
  })
  end_at!: string | null;

  @ApiProperty({ enum: RUN_STATUSES, example: 'Starting', description: 'What it has come to.' })
  status!: string;

  @ApiProperty({ type: 'integer', example: 24, description: 'How many runs it has: one for each interval.' })
  total_runs!: number;

  @ApiProperty({ type: 'integer', example: 0, description: 'How many of them have ended, however they did.' })
  finished_runs!: number;

  @ApiProperty({ format: 'date-time', example: MOMENT, description: 'When it was asked for.' })
  created_at!: string;

  @ApiProperty({ ...nullableMoment, description: 'When it ended, or null.' })
  finished_at!: string | null;
}

@ApiSchema({ name: 'BatchExportLogEntry', description: 'Something that happened to a batch export.' })
export class LogEntryResponse {
  @ApiProperty({ format: 'uuid', example: ID, description: 'Id of the batch export.' })
  log_source_id!: string;

  @ApiProperty({ format: 'uuid', example: ID, description: 'Id of the run or the backfill it happened to.' })
  instance_id!: string;

  @ApiProperty({ format: 'date-time', example: MOMENT, description: 'When it happened.' })
  timestamp!: string;

  @ApiProperty({ enum: LOG_LEVELS, example: 'INFO', description: 'How grave it is.' })
  level!: string;

  @ApiProperty({ example: 'Backfill requested', description: 'What happened.' })
  message!: string;
}
