import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { PageWindow } from '../../shared/domain/representation';
import type { ApiRequest } from '../../shared/http/api-request';
import { integerQuery, windowing } from '../../shared/http/parameters';
import {
  ApiTextQuery,
  choicesQuery,
  LONGEST_TEXT,
  momentQuery,
  textQuery,
  uuidQuery,
} from '../../shared/http/query-values';
import { LOG_LEVELS, type LogFilter } from '../domain/log-entry';

const DEFAULT_LIMIT = 50;
const LARGEST_LIMIT = 500;

export interface LogQuery {
  readonly filter: LogFilter;
  readonly window: PageWindow;
}

const readLogQuery = createParamDecorator((_: unknown, context: ExecutionContext): LogQuery => {
  const request = context.switchToHttp().getRequest<ApiRequest>();
  const limit = integerQuery(request, 'limit', { min: 1, max: LARGEST_LIMIT }) ?? DEFAULT_LIMIT;
  const offset = integerQuery(request, 'offset', { min: 0 }) ?? 0;
  return {
    filter: {
      after: momentQuery(request, 'after'),
      before: momentQuery(request, 'before'),
      levels: choicesQuery(request, 'level', LOG_LEVELS),
      search: textQuery(request, 'search'),
      instanceId: uuidQuery(request, 'instance_id'),
    },
    window: { limit, offset },
  };
});

/** What the log is asked for (BE-36). */
export const Logs = (): ParameterDecorator =>
  windowing(
    readLogQuery(),
    applyDecorators(
      ApiQuery({
        name: 'limit',
        required: false,
        description: 'Number of entries per page.',
        schema: { type: 'integer', minimum: 1, maximum: LARGEST_LIMIT, default: DEFAULT_LIMIT },
      }),
      ApiQuery({
        name: 'offset',
        required: false,
        description: 'The index of the first entry.',
        schema: { type: 'integer', minimum: 0, default: 0 },
      }),
      ApiTextQuery('after', 'Only entries after this moment; one without an offset is UTC.', {
        format: 'date-time',
      }),
      ApiTextQuery('before', 'Only entries before this moment; one without an offset is UTC.', {
        format: 'date-time',
      }),
      ApiTextQuery(
        'level',
        `Only entries of these levels, of ${LOG_LEVELS.join(', ')}: comma-separated, in any case.`,
        { example: 'WARNING,ERROR' },
      ),
      ApiTextQuery('search', 'Only entries whose message contains this text, in any case.', {
        maxLength: LONGEST_TEXT,
      }),
      ApiTextQuery('instance_id', 'Only entries of this run or backfill.', { format: 'uuid' }),
    ),
  );
