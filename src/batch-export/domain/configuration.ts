import {
  ConfigurationMalformed,
  ConfigurationTooLarge,
  DestinationUnsupported,
  FieldUnsupported,
  listed,
  quoted,
  shortened,
} from './destination-errors';
import type { FieldSpec, Fields, FieldType } from './destination-fields';
import { type Config, isConfig } from './destination-rules';

/** In characters, unless a field says otherwise. */
const LONGEST_TEXT = 8192;
const LONGEST_LIST = 1000;
const LARGEST_INTEGER = 2_147_483_647;
/** How many unknown fields an error names. */
const NAMED_FIELDS = 10;

/**
 * A configuration with these fields: all known, the required ones there, each of its type and size (BE-17).
 * `prefix` is the place of a nested one, such as `copy_inputs.`.
 * @throws ConfigurationMalformed, ConfigurationTooLarge, DestinationUnsupported, FieldUnsupported
 */
export function readConfiguration(fields: Fields, given: Config, prefix = ''): Config {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => prefix + name).sort();
    const more = names.length > NAMED_FIELDS ? `, and ${names.length - NAMED_FIELDS} more` : '';
    throw new ConfigurationMalformed(
      `Configuration has unknown field/s: ${names.slice(0, NAMED_FIELDS).map(quoted).join(', ')}${more}`,
    );
  }
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, spec]) => {
      const value = given[name];
      if (value !== undefined) return [[name, readField(spec, value, prefix + name)]];
      if (spec.required) throw new ConfigurationMalformed(`Configuration missing required field: '${name}'`);
      return [];
    }),
  );
}

/** Field by field, also within nested ones: what is given takes the place of what was there (BE-26). */
export function mergeConfiguration(fields: Fields, stored: Config, given: Config): Config {
  const entries = Object.entries(given).map(([name, value]) => {
    const inner = Object.hasOwn(fields, name) ? fields[name]?.fields : undefined;
    const before = stored[name];
    return [
      name,
      inner && isConfig(value) && isConfig(before) ? mergeConfiguration(inner, before, value) : value,
    ];
  });
  return { ...stored, ...Object.fromEntries(entries) };
}

/** The part of a configuration that is secret, or the part that is not; merged they are the whole again. */
export function partOf(fields: Fields, config: Config, part: 'public' | 'secret'): Config {
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) => {
      const spec = fields[name];
      if (spec?.fields && !spec.secret && isConfig(value)) {
        const inside = partOf(spec.fields, value, part);
        return part === 'public' || Object.keys(inside).length > 0 ? [[name, inside]] : [];
      }
      return Boolean(spec?.secret) === (part === 'secret') ? [[name, value]] : [];
    }),
  );
}

/** The configuration with the defaults of the fields that are not given. */
export const withDefaults = (fields: Fields, config: Config): Config => ({
  ...Object.fromEntries(
    Object.entries(fields).flatMap(([name, spec]) =>
      spec.default === undefined ? [] : [[name, spec.default]],
    ),
  ),
  ...config,
});

function readField(spec: FieldSpec, value: unknown, place: string): unknown {
  if (value === null && spec.nullable) return null;
  if (spec.booleanText && (value === 'True' || value === 'False')) return value === 'True';
  const type = typeName(value);
  const types: readonly string[] = [spec.type].flat();
  if (!types.includes(type)) {
    throw new ConfigurationMalformed(
      `Configuration has invalid type: got '${type}', expected ${types.map(quoted).join(' or ')}`,
    );
  }
  if (typeof value === 'string') return readText(spec, value, place);
  if (typeof value === 'number') return readInteger(spec, value, place);
  if (Array.isArray(value)) return readTexts(value, place);
  if (isConfig(value)) return readConfiguration(spec.fields ?? {}, value, `${place}.`);
  return value;
}

function readText({ choices, form, max = LONGEST_TEXT }: FieldSpec, value: string, place: string): string {
  if (value.length > max && [...value].length > max) {
    throw new ConfigurationTooLarge(
      place,
      'max_length',
      `Ensure this field has no more than ${max} characters.`,
    );
  }
  if (choices && !choices.includes(value)) {
    throw new DestinationUnsupported(
      `Value ${shortened(value)} is not supported for ${place}. Supported values are ${listed(choices)}`,
    );
  }
  if (form && !form.accepts(value)) throw new FieldUnsupported(place, form.detail);
  return value;
}

function readInteger({ min = 0, max = LARGEST_INTEGER }: FieldSpec, value: number, place: string): number {
  if (value < min) {
    throw new ConfigurationTooLarge(
      place,
      'min_value',
      `Ensure this value is greater than or equal to ${min}.`,
    );
  }
  if (value > max) {
    throw new ConfigurationTooLarge(place, 'max_value', `Ensure this value is less than or equal to ${max}.`);
  }
  return value;
}

function readTexts(values: readonly unknown[], place: string): unknown {
  if (values.length > LONGEST_LIST) {
    throw new ConfigurationTooLarge(
      place,
      'max_length',
      `Ensure this field has no more than ${LONGEST_LIST} elements.`,
    );
  }
  return values.map((value, index) => readField({ type: 'str' }, value, `${place}.${index}`));
}

/** The name of a JSON value's type in the texts of BE-17. */
function typeName(value: unknown): FieldType | 'float' | 'NoneType' {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'str' : 'dict';
}
