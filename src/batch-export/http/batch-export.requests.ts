import { IntersectionType, OmitType, PartialType, PickType } from '@nestjs/swagger';
import { Bool, Choice, JsonObject, Nested, Text, Timestamp } from '../../shared/http/fields/index';
import { type BatchExportDetails, MODELS, type Model, type NewBatchExport } from '../domain/batch-export';
import { DESTINATION_TYPE_NAMES, type DestinationTypeName } from '../domain/destination-types';
import { INTERVALS, type Interval } from '../domain/interval';
import { describeConfigurations } from './destination.description';
import { describeQuery } from './query.description';

const DESTINATION = {
  type: 'S3',
  config: { bucket_name: 'acme-events', region: 'eu-central-1', prefix: 'daily/', compression: 'gzip' },
};

export class CreateDestinationRequest {
  @Choice({
    required: true,
    choices: DESTINATION_TYPE_NAMES,
    told: true,
    description: 'Where the data goes.',
    example: DESTINATION.type,
  })
  type!: DestinationTypeName;

  @JsonObject({
    default: {},
    description:
      'How to get there. A change is merged field by field, so that secrets, which are never answered, stay when ' +
      'they are left out; a change of where they are sent (`host`, `port`, `url`, `endpoint_url`) needs them again. ' +
      `Another \`type\` starts from nothing. The fields of each type:\n\n${describeConfigurations()}`,
    example: DESTINATION.config,
  })
  config?: Record<string, unknown>;
}

export class UpdateDestinationRequest extends PartialType(CreateDestinationRequest, {
  skipNullProperties: false,
}) {}

export class CreateBatchExportRequest {
  @Text({
    required: true,
    trim: true,
    max: 10_000,
    description: 'A name for people.',
    example: 'Events to S3',
  })
  name!: string;

  @Choice({
    nullable: true,
    choices: MODELS,
    default: 'events',
    description: 'What is exported; null stands for events.',
    example: 'events',
  })
  model?: Model | null;

  @Nested({
    required: true,
    of: () => CreateDestinationRequest,
    description: 'Where the data goes, and how.',
    example: DESTINATION,
  })
  destination!: CreateDestinationRequest;

  @Choice({
    required: true,
    choices: INTERVALS,
    description:
      'How often it runs, and how much data a run exports. Hours, days and weeks begin by UTC, weeks on Mondays.',
    example: 'hour',
  })
  interval!: Interval;

  @Bool({
    default: false,
    description: 'Whether it is paused. To pause it, `pause` is better: it notes the time.',
    example: false,
  })
  paused?: boolean;

  @Timestamp({
    nullable: true,
    description: 'When it was last paused; `pause` sets it.',
    example: '2025-03-01T09:30:00Z',
  })
  last_paused_at?: Date | null;

  @Timestamp({
    nullable: true,
    description: 'No runs are triggered before this time.',
    example: '2025-03-01T00:00:00Z',
  })
  start_at?: Date | null;

  @Timestamp({
    nullable: true,
    description: 'No runs are triggered after this time; not before `start_at`.',
    example: null,
  })
  end_at?: Date | null;

  @Text({
    nullable: true,
    max: 10_000,
    description: describeQuery(),
    example: 'SELECT uuid, event, properties.$browser AS browser FROM events',
  })
  hogql_query?: string | null;
}

class DestinationInPart {
  @Nested({
    of: () => UpdateDestinationRequest,
    description: 'Where the data goes, and how; the configuration is merged field by field.',
    example: DESTINATION,
  })
  destination?: UpdateDestinationRequest;
}

const optional = { skipNullProperties: false };

/** In the order of the fields on create, since the first that is wrong is told (D8). */
export class UpdateBatchExportRequest extends IntersectionType(
  PartialType(PickType(CreateBatchExportRequest, ['name', 'model']), optional),
  DestinationInPart,
  PartialType(OmitType(CreateBatchExportRequest, ['name', 'model', 'destination']), optional),
) {}

export class UnpauseRequest {
  @Bool({
    default: false,
    description:
      'Whether what the pause kept from being exported is exported as well, by a backfill: from the interval of ' +
      '`last_paused_at`, or of the first run that the pause cancelled, up to the interval that is open now.',
    example: true,
  })
  backfill?: boolean;
}

export function newBatchExport(body: CreateBatchExportRequest): NewBatchExport {
  const { name, interval, destination } = body;
  return { ...detailsOf(body), name, interval, destination };
}

/** A PUT's destination must be a whole one; in a PATCH what is left out is what is stored (BE-17). */
export function detailsOf(body: UpdateBatchExportRequest, { whole = false } = {}): BatchExportDetails {
  return {
    name: body.name,
    model: body.model,
    destination: body.destination && { ...body.destination, whole },
    interval: body.interval,
    paused: body.paused,
    lastPausedAt: body.last_paused_at,
    startAt: body.start_at,
    endAt: body.end_at,
    hogqlQuery: body.hogql_query,
  };
}
