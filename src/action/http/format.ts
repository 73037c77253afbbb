import type { ServerResponse } from 'node:http';
import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiExtraModels, ApiQuery, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { NotFound } from '../../shared/domain/domain-error';
import type { Representation } from '../../shared/domain/representation';
import { WithHeaders } from '../../shared/http/answers';
import type { ApiRequest } from '../../shared/http/api-request';
import { pageSchema } from '../../shared/http/openapi/page.response';
import { csvOf, FIXED_COLUMNS } from './action.csv';
import { ActionResponse } from './action.responses';
import { CSV_TYPE } from './csv-answers';

/** How a caller wants an answer. */
export type Format = 'json' | 'csv';

/** @throws NotFound for one that there is not (ACT-17, D6) */
function formatOf({ query: { format } }: ApiRequest): Format {
  if (format === undefined || format === 'json') return 'json';
  if (format === 'csv') return 'csv';
  throw new NotFound();
}

/** The format that the query asks for. */
export const InFormat = createParamDecorator(
  (_: unknown, context: ExecutionContext): Format =>
    formatOf(context.switchToHttp().getRequest<ApiRequest>()),
);

/** One action in one of the formats. */
export type ShownAction = Representation | WithHeaders;

export function shown(action: Representation, format: Format): ShownAction {
  if (format === 'json') return action;
  return new WithHeaders(csvOf(JSON.parse(action.json)), { 'Content-Type': CSV_TYPE });
}

/** A table that is asked for in place of a page. */
export interface TableRequest {
  /** No `limit` was given: a table has no link to what it leaves out. */
  readonly whole: boolean;
  /** Aborted when the connection ends. */
  readonly gone: AbortSignal;
}

/** Null where a page is asked for. */
export const Table = createParamDecorator((_: unknown, context: ExecutionContext): TableRequest | null => {
  const request = context.switchToHttp().getRequest<ApiRequest>();
  if (formatOf(request) === 'json') return null;
  const gone = new AbortController();
  context
    .switchToHttp()
    .getResponse<ServerResponse>()
    .once('close', () => gone.abort());
  return { whole: request.query.limit === undefined, gone: gone.signal };
});

/** Every route of the controller takes `format`, `json` or `csv`; `ApiActionResponse` documents what it answers. */
export const ApiFormats = () =>
  ApiQuery({
    name: 'format',
    required: false,
    description: '`csv` for a table, `json` (the default) for JSON. Anything else is answered 404.',
    schema: { type: 'string', enum: ['csv', 'json'], default: 'json' },
  });

const CSV = {
  schema: {
    type: 'string',
    description:
      'One row per action under a header row. Always there, sorted: the columns of the example. In addition, sorted ' +
      'among them, those that the actions have for their lists and free-form objects, such as `steps.0.event`, ' +
      '`steps.0.properties.0.key` and `tags.0`. Empty for null, `True` and `False`, CRLF line ends. A cell that a ' +
      "spreadsheet would take for a formula (first character `=`, `+`, `-`, `@`, tab or CR) has a `'` before it.",
    example: `${FIXED_COLUMNS.join(',')}\r\n`,
  },
};

/** An answer of one action, or of a page of them, as JSON or CSV. */
export const ApiActionResponse = (status: 200 | 201, form: 'one' | 'page', description: string) =>
  applyDecorators(
    ApiExtraModels(ActionResponse),
    ApiResponse({
      status,
      description,
      content: {
        'application/json': {
          schema: form === 'page' ? pageSchema(ActionResponse) : { $ref: getSchemaPath(ActionResponse) },
        },
        'text/csv': CSV,
      },
    }),
  );
