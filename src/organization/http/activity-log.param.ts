import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ActivityFilter } from '../../activity/index';
import type { ApiRequest } from '../../shared/http/api-request';
import { documented } from '../../shared/http/parameters';
import {
  ApiTextQuery,
  LONGEST_TEXT,
  momentQuery,
  textQuery,
  uuidQuery,
} from '../../shared/http/query-values';

const readFilter = createParamDecorator((_: unknown, context: ExecutionContext): ActivityFilter => {
  const request = context.switchToHttp().getRequest<ApiRequest>();
  return {
    scope: textQuery(request, 'scope'),
    itemId: textQuery(request, 'item_id'),
    user: uuidQuery(request, 'user'),
    after: momentQuery(request, 'after'),
    before: momentQuery(request, 'before'),
  };
});

/** What the query narrows the activity log by; refused when it is not valid. */
export const ActivityFilterParam = (): ParameterDecorator =>
  documented(
    readFilter(),
    applyDecorators(
      ApiTextQuery('scope', 'Only what was done to this kind of thing.', {
        maxLength: LONGEST_TEXT,
        example: 'Action',
      }),
      ApiTextQuery('item_id', 'Only what was done to the thing with this id; of a person, their UUID.', {
        maxLength: LONGEST_TEXT,
      }),
      ApiTextQuery('user', 'Only what the user with this UUID did.', { format: 'uuid' }),
      ApiTextQuery('after', 'Only entries after this moment; one without an offset is UTC.', {
        format: 'date-time',
      }),
      ApiTextQuery('before', 'Only entries before this moment; one without an offset is UTC.', {
        format: 'date-time',
      }),
    ),
  );
