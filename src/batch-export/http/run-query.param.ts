import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { ApiRequest } from '../../shared/http/api-request';
import { documented } from '../../shared/http/parameters';
import { choicesQuery, momentQuery, uuidQuery } from '../../shared/http/query-values';
import { RUN_STATUSES } from '../domain/run';
import type { RunFilter } from '../domain/run-filter';

const readRunFilter = createParamDecorator((_: unknown, context: ExecutionContext): RunFilter => {
  const request = context.switchToHttp().getRequest<ApiRequest>();
  return {
    statuses: choicesQuery(request, 'status', RUN_STATUSES),
    after: momentQuery(request, 'after'),
    before: momentQuery(request, 'before'),
    backfillId: uuidQuery(request, 'backfill'),
  };
});

/** Which runs are asked for; what is not given does not matter. */
export const WhichRuns = (): ParameterDecorator =>
  documented(
    readRunFilter(),
    applyDecorators(
      ApiQuery({
        name: 'status',
        required: false,
        description: `Only runs of these statuses, of ${RUN_STATUSES.join(', ')}: comma-separated, in any case.`,
        schema: { type: 'string', example: 'Failed,TimedOut' },
      }),
      ApiQuery({
        name: 'after',
        required: false,
        description: 'Only runs whose data interval ends after this moment; one without an offset is UTC.',
        schema: { type: 'string', format: 'date-time' },
      }),
      ApiQuery({
        name: 'before',
        required: false,
        description: 'Only runs whose data interval starts before this moment; one without an offset is UTC.',
        schema: { type: 'string', format: 'date-time' },
      }),
      ApiQuery({
        name: 'backfill',
        required: false,
        description: 'Only runs of the backfill with this id.',
        schema: { type: 'string', format: 'uuid' },
      }),
    ),
  );
