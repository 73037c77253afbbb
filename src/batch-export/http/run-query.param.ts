import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiRequest } from '../../shared/http/api-request';
import { documented } from '../../shared/http/parameters';
import { ApiTextQuery, choicesQuery, momentQuery, uuidQuery } from '../../shared/http/query-values';
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
      ApiTextQuery(
        'status',
        `Only runs of these statuses, of ${RUN_STATUSES.join(', ')}: comma-separated, in any case.`,
        { example: 'Failed,TimedOut' },
      ),
      ApiTextQuery(
        'after',
        'Only runs whose data interval ends after this moment; one without an offset is UTC.',
        { format: 'date-time' },
      ),
      ApiTextQuery(
        'before',
        'Only runs whose data interval starts before this moment; one without an offset is UTC.',
        { format: 'date-time' },
      ),
      ApiTextQuery('backfill', 'Only runs of the backfill with this id.', { format: 'uuid' }),
    ),
  );
