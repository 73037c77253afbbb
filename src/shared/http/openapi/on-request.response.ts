import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  type ApiResponseNoStatusOptions,
  getSchemaPath,
} from '@nestjs/swagger';
import { pageSchema } from './page.response';

/** Marks in the document an operation whose 200 has no body unless it is asked for. */
export const EMPTY_UNLESS_PREFERRED = 'x-empty-unless-preferred';

type Form = 'one' | 'page' | 'array';
type Headers = ApiResponseNoStatusOptions['headers'];

/**
 * 200 without a body, or with `item` in the given form when the caller sends `Prefer: return=representation`
 * (D1). The handler answers `OnRequest`; `headers` come with either.
 */
export const ApiOnRequestResponse = (item: Type, form: Form = 'one', headers?: Headers) => {
  const reference = { $ref: getSchemaPath(item) };
  const schema = { one: reference, page: pageSchema(item), array: { type: 'array', items: reference } }[form];
  return applyDecorators(HttpCode(200), ApiExtraModels(item), onRequest(schema, headers));
};

/** The same for an answer that has no class of its own. */
export const ApiOnRequestSchema = (schema: object) => applyDecorators(HttpCode(200), onRequest(schema));

const onRequest = (schema: object, headers?: Headers) =>
  applyDecorators(
    ApiExtension(EMPTY_UNLESS_PREFERRED, true),
    ApiHeader({
      name: 'Prefer',
      required: false,
      description: '`return=representation` asks for the result in the body (RFC 7240).',
      schema: { type: 'string', enum: ['return=minimal', 'return=representation'] },
    }),
    ApiOkResponse({
      description: 'Done. The body is empty unless `Prefer: return=representation` was sent.',
      schema,
      ...(headers ? { headers } : {}),
    }),
  );
