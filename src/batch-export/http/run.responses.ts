import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { RUN_STATUSES } from '../domain/run';
import { ID, MOMENT, nullableMoment } from './response-fields';

const RUN_STATUS = [
  '`Starting`: it waits for a worker',
  '`Running`: a worker exports its records',
  '`FailedRetryable`: its last attempt failed in a way that may pass, and the next one begins at `retry_at`',
  '`Completed`: every record is at the destination',
  '`Failed`: the destination refused the records, or too many attempts failed',
  '`TimedOut`: it had not completed within a day',
  '`Cancelled`: somebody cancelled it or its backfill, or the batch export was paused or deleted',
].join('; ');

const BACKFILL_STATUS = [
  '`Starting`: none of its runs has had its turn',
  '`Running`: it has runs that have not ended',
  '`Completed`: all its runs have',
  '`Failed`: a run of it failed or timed out',
  '`Cancelled`: somebody cancelled it or a run of it, or the batch export was paused or deleted',
].join('; ');

const NEVER = 'Clients of PostHog know more statuses than Hedgerow gives.';

const nullableInteger = {
  type: 'integer',
  minimum: -(2 ** 31),
  maximum: 2 ** 31 - 1,
  nullable: true,
} as const;

@ApiSchema({
  name: 'BatchExportRun',
  description:
    'The export of the data that arrived in one interval. `backfill`, `attempt`, `started_at`, `retry_at` and ' +
    '`bytes_exported` are of Hedgerow.',
})
export class BatchExportRunResponse {
  @ApiProperty({ format: 'uuid', example: ID, description: 'Id of the run.' })
  id!: string;

  @ApiProperty({
    enum: RUN_STATUSES,
    example: 'Completed',
    description: `What the run has come to. ${RUN_STATUS}. In the first three it goes on, in the others it has ended. ${NEVER}`,
  })
  status!: string;

  @ApiProperty({
    ...nullableInteger,
    example: null,
    description: 'How many records have been exported, written while it runs.',
  })
  records_completed!: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'What went wrong last, in the words of the destination.',
  })
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

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'The last record that the destination is known to keep, where it can go on from there.',
  })
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

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    example: null,
    description: 'Id of the backfill that it belongs to, or null when the schedule made it.',
  })
  backfill!: string | null;

  @ApiProperty({
    type: 'integer',
    example: 1,
    description: 'How many attempts were made, the one that runs included.',
  })
  attempt!: number;

  @ApiProperty({
    ...nullableMoment,
    description: 'When its first attempt began, since it was last asked for; or null.',
  })
  started_at!: string | null;

  @ApiProperty({ ...nullableMoment, description: 'When it is tried again, in `FailedRetryable`; else null.' })
  retry_at!: string | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    nullable: true,
    example: 1048576,
    description: 'How many bytes were sent to the destination, or null before the first attempt.',
  })
  bytes_exported!: number | null;
}

@ApiSchema({
  name: 'BatchExportBackfill',
  description: 'A request to export past data again, as one run for each interval.',
})
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

  @ApiProperty({
    enum: RUN_STATUSES,
    example: 'Running',
    description: `What it has come to. ${BACKFILL_STATUS}. ${NEVER}`,
  })
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
