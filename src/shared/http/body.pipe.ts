import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { Invalid } from '../domain/domain-error';
import { isObject, type Problem, type Reading, typeName } from './fields/index';

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
  const fields = fieldsOf(requestClass);
  const given = fields.filter(({ name }) => Object.hasOwn(value, name));
  for (const { name } of given) refuseDepth(value[name], [...path, name]);
  const body = transformed(requestClass, value, given);
  const errors = validateSync(body, { forbidUnknownValues: false, validationError: { target: false } });
  for (const { name, of } of fields) {
    const error = errors.find(({ property }) => property === name);
    if (error) throw problemOf(error, path);
    // What is inside is looked at only now that its shape is known to be right: a list could be far too long.
    if (of && Object.hasOwn(value, name)) body[name] = readInside(of(), body[name], [...path, name]);
  }
  return body as T;
}

/**
 * The request class with the given fields as their `@Transform` makes them. Objects and lists are set as they came:
 * class-transformer would copy what is not ours to read, in time that grows with its square, and fails on a
 * field `constructor`.
 */
function transformed(
  requestClass: RequestClass,
  value: Record<string, unknown>,
  given: readonly Field[],
): Record<string, unknown> {
  const [plain, structured] = [false, true].map((wanted) =>
    Object.fromEntries(
      given.flatMap(({ name }) => (isStructured(value[name]) === wanted ? [[name, value[name]]] : [])),
    ),
  );
  return Object.assign(plainToInstance(requestClass, plain) as Record<string, unknown>, structured);
}

const isStructured = (value: unknown): boolean => typeof value === 'object' && value !== null;

function readInside(requestClass: RequestClass, value: unknown, path: readonly string[]): unknown {
  if (value === null) return null;
  return Array.isArray(value)
    ? value.map((item, index) => readObject(requestClass, item, [...path, String(index)]))
    : readObject(requestClass, value, path);
}

/** Deeper than any field allows, and shallow enough for the recursion of what follows. */
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

interface Field extends Reading {
  readonly name: string;
}

const fieldsOfClass = new Map<RequestClass, readonly Field[]>();

/** The fields of a request class, in the order in which it declares them. */
function fieldsOf(requestClass: RequestClass): readonly Field[] {
  let fields = fieldsOfClass.get(requestClass);
  if (!fields) {
    const readings = new Map<string, Reading>();
    const metadata = getMetadataStorage().getTargetValidationMetadatas(requestClass, '', false, false);
    for (const { propertyName, constraints } of metadata) {
      // A class made by `PartialType` has conditions beside the checks; what they carry is a function.
      const [reading] = (constraints ?? []) as unknown[];
      readings.set(propertyName, { ...readings.get(propertyName), ...(isObject(reading) ? reading : {}) });
    }
    fields = [...readings].map(([name, reading]) => ({ ...reading, name }));
    fieldsOfClass.set(requestClass, fields);
  }
  return fields;
}

function problemOf({ property, constraints }: ValidationError, path: readonly string[]): Invalid {
  const [message = ''] = Object.values(constraints ?? {});
  const { code, detail, path: inside = [] } = JSON.parse(message) as Problem;
  return new Invalid([...path, property, ...inside].join('__'), code, detail);
}
