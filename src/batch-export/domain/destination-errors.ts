import { Invalid } from '../../shared/domain/domain-error';

/** The configuration is not one of its destination type: unknown, missing or mistyped fields (BE-17). */
export class ConfigurationMalformed extends Invalid {
  constructor(detail: string) {
    super('destination__non_field_errors', 'invalid_input', detail);
  }
}

/** Each field is well-formed, but the values, or what they make together, are not supported (BE-20..BE-22). */
export class DestinationUnsupported extends Invalid {
  constructor(detail: string) {
    super('destination', 'invalid_input', detail);
  }
}

/** A field's value is well-typed, but not of the form that it must have. `field` is its name. */
export class FieldUnsupported extends Invalid {
  constructor(field: string, detail: string) {
    super(`destination__config__${field}`, 'invalid_input', detail);
  }
}

/** A host that the server must not export to; `field` names it. */
export class HostNotPublic extends Invalid {
  constructor(field: string, host: string) {
    super(
      `destination__config__${field}`,
      'invalid_input',
      `${shortened(host)} is not a public address, and this server exports to public addresses only.`,
    );
  }
}

/** Stored secrets would be sent to where nobody who knows them has sent them. The fields' names. */
export class SecretsNotGivenAgain extends Invalid {
  constructor(moved: readonly string[], secrets: readonly [string, ...string[]]) {
    super(
      `destination__config__${secrets[0]}`,
      'required',
      `Give ${secrets.map(quoted).join(', ')} again: a change of ${moved.map(quoted).join(', ')} sends ` +
        `${secrets.length === 1 ? 'it' : 'them'} to another place.`,
    );
  }
}

/** A type that an earlier version knew: the export can be shown and deleted, or sent to another destination. */
export class DestinationTypeGone extends Invalid {
  constructor(type: string, supported: readonly string[]) {
    super(
      'destination__type',
      'invalid_choice',
      `"${shortened(type)}" is no longer a destination. Supported: ${supported.join(', ')}`,
    );
  }
}

/** A value of the configuration is larger than it may be. `field` is its place, such as `copy_inputs.s3_bucket`. */
export class ConfigurationTooLarge extends Invalid {
  constructor(field: string, code: 'max_length' | 'max_value' | 'min_value', detail: string) {
    super(`destination__config__${field.replaceAll('.', '__')}`, code, detail);
  }
}

/** A list as Python, and so the texts of BE-17 and BE-20, writes it. */
export const listed = (texts: readonly string[]): string => `[${texts.map(quoted).join(', ')}]`;

/** A caller's text between quotes; errors repeat no more than 60 characters of it. */
export const quoted = (text: string): string => `'${shortened(text)}'`;

export const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
