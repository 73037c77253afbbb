import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  type DestinationType,
  type FieldSpec,
} from '../domain/destination-types';

/** The fields of each destination type's configuration in words, for the OpenAPI document. */
export function describeConfigurations(): string {
  const types = DESTINATION_TYPE_NAMES.map(
    (name) => `- ${name}: ${describeFields(DESTINATION_TYPES[name].fields)}`,
  );
  return types.join('\n');
}

const describeFields = (fields: DestinationType['fields']): string =>
  Object.entries(fields)
    .map(([name, spec]) => `\`${name}\` (${describe(spec)})`)
    .join(', ');

function describe({ type, required, secret, nullable, choices, fields, ...spec }: FieldSpec): string {
  const inside = fields ? ` of ${describeFields(fields)}` : '';
  return [
    [type].flat().join(' or ') + inside,
    ...(required ? ['required'] : []),
    ...(secret ? ['secret'] : []),
    ...(nullable ? ['null allowed'] : []),
    ...(choices ? [choices.map((choice) => JSON.stringify(choice)).join(' or ')] : []),
    ...(spec.default === undefined ? [] : [`default ${JSON.stringify(spec.default)}`]),
  ].join(', ');
}
