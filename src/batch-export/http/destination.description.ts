import type { FieldSpec, Fields } from '../domain/destination-fields';
import { DESTINATION_TYPE_NAMES, DESTINATION_TYPES } from '../domain/destination-types';

/** The fields of each destination type's configuration in words, for the OpenAPI document. */
export function describeConfigurations(): string {
  const types = DESTINATION_TYPE_NAMES.map((name) => {
    const { about, fields } = DESTINATION_TYPES[name];
    return `- ${name} (${about}): ${describeFields(fields)}`;
  });
  return types.join('\n');
}

const describeFields = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, spec]) => `\`${name}\` (${describe(spec)})`)
    .join(', ');

function describe({ type, required, secret, nullable, choices, fields, about, ...spec }: FieldSpec): string {
  const inside = fields ? ` of ${describeFields(fields)}` : '';
  return [
    [type].flat().join(' or ') + inside,
    ...(required ? ['required'] : []),
    ...(secret ? ['secret'] : []),
    ...(nullable ? ['null allowed'] : []),
    ...(choices ? [choices.map((choice) => JSON.stringify(choice)).join(' or ')] : []),
    ...(spec.default === undefined ? [] : [`default ${JSON.stringify(spec.default)}`]),
    ...(about ? [about] : []),
  ].join(', ');
}
