import type { OpenAPIObject } from '@nestjs/swagger';
import { resolved, type Schema } from './world';

export interface BadValue {
  readonly what: string;
  readonly value: unknown;
}

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

/** What a value of the JSON types is not, for each type a field may have. */
const WRONG_TYPE: Record<string, readonly unknown[]> = {
  string: [12345, true, {}, ['a']],
  integer: ['x', 1.5, true, {}, [1], 99999999999999],
  boolean: ['yes', 1, {}, []],
  array: ['x', 7, true, { a: 1 }],
  object: ['x', 7, true, [1]],
};

/** Everything that the schema of a field forbids, one bad value each. */
export function badValues(document: OpenAPIObject, declared: Schema): BadValue[] {
  const schema = resolved(document, declared);
  const type = schema.type ?? (schema.properties ? 'object' : 'oneOf');
  const bad: BadValue[] = [];
  const add = (what: string, value: unknown) => bad.push({ what, value });
  if (!schema.nullable) add('null', null);
  // A field that takes objects and lists alike refuses the rest.
  for (const value of WRONG_TYPE[type] ?? ['x', 7, true]) add(`wrong type ${JSON.stringify(value)}`, value);
  if (schema.enum) add('unknown choice', type === 'integer' ? 424242 : 'no-such-choice');
  if (type === 'string') {
    if ((schema.minLength ?? 0) > 0) add('empty', '');
    if (schema.format) add(`no ${schema.format}`, 'certainly not');
    if (schema.maxLength !== undefined) add('too long', 'x'.repeat(schema.maxLength + 1));
    add('NUL byte', 'a\u0000b');
    add('lone surrogate', 'a\ud800b');
  }
  if (type === 'integer') {
    if (schema.minimum !== undefined) add('too small', schema.minimum - 1);
    if (schema.maximum !== undefined) add('too large', schema.maximum + 1);
  }
  if (type === 'array') {
    add(
      '10,000 elements',
      Array.from({ length: 10_000 }, () => sample(document, schema.items ?? {})),
    );
    add('deep nesting', nested(1_000));
  }
  if (type === 'object' || type === 'oneOf') add('deep nesting', { a: nested(1_000) });
  if (type === 'object' && schema.additionalProperties) {
    add('NUL byte inside', { a: 'a\u0000b' });
    add('lone surrogate inside', { 'a\ud800': 1 });
  }
  return bad;
}

/** The fields of a body, with those of nested objects and list items, each with a way to put a value there. */
export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  /** What an error about this field must begin with. */
  readonly attr: string;
  readonly put: (body: Record<string, unknown>, value: unknown) => void;
}

export function fieldsOf(document: OpenAPIObject, body: Schema): Field[] {
  return Object.entries(body.properties ?? {}).flatMap(([name, declared]) => {
    const schema = resolved(document, declared);
    const own: Field = {
      name,
      schema: declared,
      required: body.required?.includes(name) ?? false,
      attr: name,
      put: (target, value) => {
        if (value === undefined) delete target[name];
        else target[name] = value;
      },
    };
    const item = schema.items && resolved(document, schema.items);
    const inner = schema.properties ? schema : item?.properties ? item : null;
    if (!inner) return [own];
    const inList = inner === item;
    const deeper = fieldsOf(document, inner).map(
      (field): Field => ({
        ...field,
        name: `${name}.${field.name}`,
        attr: `${name}__${inList ? '0__' : ''}${field.attr}`,
        put: (target, value) => {
          const object = sampleObject(document, inner);
          field.put(object, value);
          target[name] = inList ? [object] : object;
        },
      }),
    );
    return [own, ...deeper];
  });
}

/** A valid value of a schema: its example, else the plainest there is. */
export function sample(document: OpenAPIObject, declared: Schema): unknown {
  if (declared.example !== undefined) return declared.example;
  const schema = resolved(document, declared);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  if (schema.properties) return sampleObject(document, schema);
  return { string: 'a', integer: 1, boolean: true, array: [], object: {} }[schema.type ?? ''] ?? null;
}

/** A valid object of a schema with its required fields alone. */
export function sampleObject(document: OpenAPIObject, schema: Schema): Record<string, unknown> {
  const names = Object.keys(schema.properties ?? {}).filter((name) => schema.required?.includes(name));
  return Object.fromEntries(names.map((name) => [name, sample(document, schema.properties?.[name] ?? {})]));
}
