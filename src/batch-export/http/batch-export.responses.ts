import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { MODELS } from '../domain/batch-export';
import { DESTINATION_TYPE_NAMES } from '../domain/destination-types';
import { INTERVALS } from '../domain/interval';
import { LOG_LEVELS } from '../domain/log-entry';
import { ID, MOMENT, nullableMoment } from './response-fields';
import { BatchExportRunResponse } from './run.responses';

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
    description:
      'What `hogql_query` compiles to: its `fields`, each as an `expression` of ClickHouse and the `alias` that it is ' +
      'exported as, the `values` that the expressions refer to, and the query in one form. Null without a query.',
  })
  schema!: Record<string, unknown> | null;
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
