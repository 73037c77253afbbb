import { createParamDecorator, type ExecutionContext, UseInterceptors } from '@nestjs/common';
import { ApiParam, ApiQuery } from '@nestjs/swagger';
import { isUUID } from 'class-validator';
import { Invalid, NotFound } from '../domain/domain-error';
import type { NumberedWindow, PageWindow } from '../domain/representation';
import type { ApiRequest } from './api-request';
import { ListInterceptor } from './list.interceptor';

const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 1000;
const LARGEST_INTEGER = 2_147_483_647;
const DEFAULT_NUMBERED_LIMIT = 10;
const LARGEST_NUMBERED_LIMIT = 100;

/** Adds documentation of the operation from where its parameter stands. */
export function documented(
  parameter: ParameterDecorator,
  ...documentation: MethodDecorator[]
): ParameterDecorator {
  return (target, method, index) => {
    parameter(target, method, index);
    const descriptor = method && Object.getOwnPropertyDescriptor(target, method);
    if (method && descriptor) for (const document of documentation) document(target, method, descriptor);
  };
}

/** A parameter that asks for a part of a list: the answer is wrapped in the envelope. */
export const windowing = (
  parameter: ParameterDecorator,
  ...documentation: MethodDecorator[]
): ParameterDecorator => documented(parameter, UseInterceptors(ListInterceptor), ...documentation);

const readUuid = createParamDecorator((name: string, context: ExecutionContext) => {
  const value = context.switchToHttp().getRequest<ApiRequest>().params[name];
  if (!isUUID(value, 'loose')) throw new NotFound();
  return String(value).toLowerCase();
});

/** A UUID of the path; what is none names nothing: 404. */
export const UuidParam = (name: string, description: string): ParameterDecorator =>
  documented(readUuid(name), ApiParam({ name, description, schema: { type: 'string', format: 'uuid' } }));

const readInteger = createParamDecorator((name: string, context: ExecutionContext) => {
  const value = context.switchToHttp().getRequest<ApiRequest>().params[name] ?? '';
  if (!/^\d{1,10}$/.test(value) || Number(value) > LARGEST_INTEGER) throw new NotFound();
  return Number(value);
});

/** An integer id of the path; what is none names nothing: 404 (ACT-21). */
export const IntegerParam = (name: string, description: string): ParameterDecorator =>
  documented(readInteger(name), ApiParam({ name, description, schema: { type: 'integer', example: 42 } }));

/** A query parameter that is a whole number, or null when it is not given. */
export function integerQuery(
  request: ApiRequest,
  name: string,
  { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number },
): number | null {
  const value = request.query[name];
  if (value === undefined) return null;
  if (typeof value !== 'string' || !/^[+-]?\d+$/.test(value)) {
    throw new Invalid(name, 'invalid_input', 'A valid integer is required.');
  }
  const number = Number(value);
  if (number < min)
    throw new Invalid(name, 'min_value', `Ensure this value is greater than or equal to ${min}.`);
  if (number > max)
    throw new Invalid(name, 'max_value', `Ensure this value is less than or equal to ${max}.`);
  return number;
}

const readWindow = createParamDecorator((_: unknown, context: ExecutionContext): PageWindow => {
  const request = context.switchToHttp().getRequest<ApiRequest>();
  const limit = integerQuery(request, 'limit', { min: 1, max: Number.POSITIVE_INFINITY }) ?? DEFAULT_LIMIT;
  const offset = integerQuery(request, 'offset', { min: 0, max: Number.POSITIVE_INFINITY }) ?? 0;
  // Beyond the end of any list it's all the same, and PostgreSQL must be able to read it.
  return { limit: Math.min(limit, LARGEST_LIMIT), offset: Math.min(offset, Number.MAX_SAFE_INTEGER) };
});

/** The page asked for with `limit` and `offset` (D5). */
export const Window = (): ParameterDecorator =>
  windowing(
    readWindow(),
    ApiQuery({
      name: 'limit',
      required: false,
      description:
        'Number of results per page; above 1000 it counts as 1000. A page that would be larger than 8 MiB ends ' +
        'earlier; `next` leads on.',
      schema: { type: 'integer', minimum: 1, default: DEFAULT_LIMIT },
    }),
    ApiQuery({
      name: 'offset',
      required: false,
      description: 'The index of the first result.',
      schema: { type: 'integer', minimum: 0, default: 0 },
    }),
  );

const readNumberedWindow = createParamDecorator((_: unknown, context: ExecutionContext): NumberedWindow => {
  const request = context.switchToHttp().getRequest<ApiRequest>();
  const page = integerQuery(request, 'page', { min: 1, max: LARGEST_INTEGER }) ?? 1;
  const limit =
    integerQuery(request, 'limit', { min: 1, max: Number.POSITIVE_INFINITY }) ?? DEFAULT_NUMBERED_LIMIT;
  return { page, limit: Math.min(limit, LARGEST_NUMBERED_LIMIT) };
});

/** The page asked for with `page` and `limit` (PAGE-09). */
export const NumberedPages = (): ParameterDecorator =>
  windowing(
    readNumberedWindow(),
    ApiQuery({
      name: 'page',
      required: false,
      description: 'The number of the page; the first is 1.',
      schema: { type: 'integer', minimum: 1, maximum: LARGEST_INTEGER, default: 1 },
    }),
    ApiQuery({
      name: 'limit',
      required: false,
      description: 'Number of results per page; above 100 it counts as 100.',
      schema: { type: 'integer', minimum: 1, default: DEFAULT_NUMBERED_LIMIT },
    }),
  );
