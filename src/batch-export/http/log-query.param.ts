import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { isUUID } from 'class-validator';
import { Invalid } from '../../shared/domain/domain-error';
import type { PageWindow } from '../../shared/domain/representation';
import type { ApiRequest } from '../../shared/http/api-request';
import { type Check, NO_TIMESTAMP, parseTimestamp, textCheck } from '../../shared/http/fields/index';
import { documented, integerQuery } from '../../shared/http/parameters';
import { LOG_LEVELS, type LogFilter, type LogLevel } from '../domain/log-entry';

const DEFAULT_LIMIT = 50;
const LARGEST_LIMIT = 500;
const LONGEST_SEARCH = 1000;

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
      after: moment(request, 'after'),
      before: moment(request, 'before'),
      levels: levels(request),
      search: text(request, 'search', textCheck({ max: LONGEST_SEARCH })),
      instanceId: instanceId(request),
    },
    window: { limit, offset },
  };
});

/** What the log is asked for (BE-36). */
export const Logs = (): ParameterDecorator =>
  documented(
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
      ApiQuery({
        name: 'after',
        required: false,
        description: 'Only entries after this moment; one without an offset is UTC.',
        schema: { type: 'string', format: 'date-time' },
      }),
      ApiQuery({
        name: 'before',
        required: false,
        description: 'Only entries before this moment; one without an offset is UTC.',
        schema: { type: 'string', format: 'date-time' },
      }),
      ApiQuery({
        name: 'level',
        required: false,
        description: `Only entries of these levels, of ${LOG_LEVELS.join(', ')}: comma-separated, in any case.`,
        schema: { type: 'string', example: 'WARNING,ERROR' },
      }),
      ApiQuery({
        name: 'search',
        required: false,
        description: 'Only entries whose message contains this text, in any case.',
        schema: { type: 'string', maxLength: LONGEST_SEARCH },
      }),
      ApiQuery({
        name: 'instance_id',
        required: false,
        description: 'Only entries of this run or backfill.',
        schema: { type: 'string', format: 'uuid' },
      }),
    ),
  );

/** A text of the query; null when it is not given, or empty. */
function text(request: ApiRequest, name: string, check: Check = textCheck({ max: 100 })): string | null {
  const value = request.query[name];
  if (value === undefined || value === '') return null;
  const bad = check(value);
  if (bad) throw new Invalid(name, bad.code, bad.detail);
  return String(value);
}

function moment(request: ApiRequest, name: string): Date | null {
  const value = text(request, name);
  const parsed = parseTimestamp(value);
  if (value !== null && parsed === null) throw new Invalid(name, 'invalid_input', NO_TIMESTAMP);
  return parsed;
}

function instanceId(request: ApiRequest): string | null {
  const value = text(request, 'instance_id');
  if (value !== null && !isUUID(value, 'loose')) {
    throw new Invalid('instance_id', 'invalid_input', 'Must be a valid UUID.');
  }
  return value;
}

function levels(request: ApiRequest): LogLevel[] | null {
  const value = text(request, 'level');
  return (
    value?.split(',').map((name) => {
      const level = LOG_LEVELS.find((known) => known === name.trim().toUpperCase());
      if (!level) throw new Invalid('level', 'invalid_choice', `"${name.trim()}" is not a valid choice.`);
      return level;
    }) ?? null
  );
}
