import { ApiQuery } from '@nestjs/swagger';
import { isUUID } from 'class-validator';
import { Invalid } from '../domain/domain-error';
import type { ApiRequest } from './api-request';
import { NO_TIMESTAMP, parseTimestamp, textCheck } from './fields/index';

export const LONGEST_TEXT = 1000;

/** Documents a parameter of the query that is a text and may be left out. */
export const ApiTextQuery = (
  name: string,
  description: string,
  schema: Readonly<Record<string, unknown>> = {},
): MethodDecorator => ApiQuery({ name, required: false, description, schema: { type: 'string', ...schema } });

const checkText = textCheck({ max: LONGEST_TEXT });

/** A text of the query; null when it is not given, or empty. @throws Invalid, as all of these */
export function textQuery(request: ApiRequest, name: string): string | null {
  const value = request.query[name];
  if (value === undefined || value === '') return null;
  const bad = checkText(value);
  if (bad) throw new Invalid(name, bad.code, bad.detail);
  return String(value);
}

/** Without an offset it is UTC. */
export function momentQuery(request: ApiRequest, name: string): Date | null {
  const value = textQuery(request, name);
  const parsed = parseTimestamp(value);
  if (value !== null && parsed === null) throw new Invalid(name, 'invalid_input', NO_TIMESTAMP);
  return parsed;
}

export function uuidQuery(request: ApiRequest, name: string): string | null {
  const value = textQuery(request, name);
  if (value !== null && !isUUID(value, 'loose')) {
    throw new Invalid(name, 'invalid_input', 'Must be a valid UUID.');
  }
  return value;
}

/** Some of the choices: comma-separated, in any case. */
export function choicesQuery<Choice extends string>(
  request: ApiRequest,
  name: string,
  choices: readonly Choice[],
): Choice[] | null {
  const value = textQuery(request, name);
  return (
    value?.split(',').map((given) => {
      const text = given.trim();
      const choice = choices.find((known) => known.toLowerCase() === text.toLowerCase());
      if (!choice) throw new Invalid(name, 'invalid_choice', `"${text}" is not a valid choice.`);
      return choice;
    }) ?? null
  );
}
