import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { Invalid } from '../domain/domain-error';
import { isObject, type Problem, typeName } from './fields/index';

type RequestClass = new () => object;

/**
 * Makes a request class of a body, or tells the first field that is wrong, in the order in which the class
 * declares them (ERR-03). Unknown fields are left out, never refused (D4).
 */
@Injectable()
export class BodyPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    // A handler that takes `unknown` reads the body itself, one that takes a list has a `ListBodyPipe`.
    if (type !== 'body' || !metatype || metatype === Object || metatype === Array) return value;
    return readBody(metatype as RequestClass, value);
  }
}

/** Reads a list of at least one request object (`0__target_email`); a single object counts as a list of one. */
export class ListBodyPipe<T extends object> implements PipeTransform<unknown, T[]> {
  constructor(
    private readonly itemClass: new () => T,
    private readonly tooMany: { readonly max: number; readonly detail: string },
  ) {}

  transform(value: unknown): T[] {
    if (!Array.isArray(value)) return [readBody(this.itemClass, value)];
    if (value.length === 0) throw new Invalid(null, 'empty', 'This list may not be empty.');
    if (value.length > this.tooMany.max) throw new Invalid(null, 'max_length', this.tooMany.detail);
    return value.map((item, index) => readObject(this.itemClass, item, [String(index)]));
  }
}

/** A request class of a body; one that is not there is an empty one. @throws Invalid */
export function readBody<T extends object>(requestClass: new () => T, value: unknown): T {
  return readObject(requestClass, value === undefined ? {} : value, []);
}

function readObject<T extends object>(requestClass: new () => T, value: unknown, path: readonly string[]): T {
  if (!isObject(value)) {
    const attr = path.length > 0 ? path.join('__') : null;
    throw new Invalid(
      attr,
      'invalid_input',
      `Invalid data. Expected a dictionary, but got ${typeName(value)}.`,
    );
  }
  const known = knownFields(requestClass).filter((name) => Object.hasOwn(value, name));
  const fields = Object.fromEntries(known.map((name) => [name, value[name]]));
  for (const name of known) refuseDepth(fields[name], [...path, name]);
  const body = plainToInstance(requestClass, fields);
  const [error] = validateSync(body, {
    whitelist: true,
    forbidUnknownValues: false,
    validationError: { target: false },
  });
  if (error) throw firstProblem(error, path);
  return body;
}

/** Deeper than any field allows, and shallow enough for the recursion of the libraries that follow. */
const DEEPEST = 100;

/** Request classes nest no deeper than this: the field of an item of a list. */
const NESTED_FIELDS = 2;

function refuseDepth(value: unknown, path: readonly string[]): void {
  if (!isDeeper(value, DEEPEST)) return;
  const place = [...path];
  let at = value;
  for (let inside = 1; inside <= NESTED_FIELDS; inside += 1) {
    const deep = Object.entries(at as object).find(([, item]) => isDeeper(item, DEEPEST - inside));
    if (!deep) break;
    place.push(deep[0].slice(0, 60));
    at = deep[1];
  }
  throw new Invalid(place.join('__'), 'invalid_input', 'This value is nested too deeply.');
}

/** Walks without recursion: a body of 1 MiB can nest half a million deep. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

const fieldsOfClass = new Map<RequestClass, readonly string[]>();

function knownFields(requestClass: RequestClass): readonly string[] {
  let names = fieldsOfClass.get(requestClass);
  if (!names) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(requestClass, '', false, false);
    names = [...new Set(metadata.map(({ propertyName }) => propertyName))];
    fieldsOfClass.set(requestClass, names);
  }
  return names;
}

function firstProblem(error: ValidationError, path: readonly string[]): Invalid {
  const here = [...path, error.property];
  const message = Object.values(error.constraints ?? {}).find((text) => text.startsWith('{'));
  if (message !== undefined) {
    const { code, detail, path: inside = [] } = JSON.parse(message) as Problem;
    return new Invalid([...here, ...inside].join('__'), code, detail);
  }
  const [child] = error.children ?? [];
  return child
    ? firstProblem(child, here)
    : new Invalid(here.join('__'), 'invalid_input', 'This value is not valid.');
}
