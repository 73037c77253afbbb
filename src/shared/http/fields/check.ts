import { registerDecorator } from 'class-validator';

/** What is wrong with a value: the code and text of ERR-18, and where inside the value (`['0', 'level']`). */
export interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly path?: readonly string[];
}

export type Check = (value: unknown) => Problem | null;

export const problem = (code: string, detail: string, path?: readonly string[]): Problem => ({
  code,
  detail,
  path,
});

export const invalid = (detail: string): Problem => problem('invalid_input', detail);

/** The name that ERR-18's texts give a JSON value's type. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return (
    { string: 'str', number: Number.isInteger(value) ? 'int' : 'float', boolean: 'bool' }[
      typeof value as string
    ] ?? 'dict'
  );
}

/** What becomes of the value of a field, besides the check; a value without any stays as it came. */
export interface Reading {
  /** The request class that the value, or each of its items, is read as, once it has passed the check. */
  readonly of?: () => new () => object;
}

/**
 * One class-validator constraint that carries a whole check, and a reading. Its message is the problem as JSON,
 * because class-validator has room for one text and our answers need code, text and place.
 */
export function Checked(name: string, check: Check, reading: Reading = {}): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: property as string,
      constraints: [reading],
      validator: {
        validate: (value: unknown) => check(value) === null,
        defaultMessage: (args) => JSON.stringify(check(args?.value)),
      },
    });
}

/** Whether a field may be missing or null; the texts of ERR-18. */
export function presence(options: { required?: boolean; nullable?: boolean }, check: Check): Check {
  return (value) => {
    if (value === undefined) return options.required ? problem('required', 'This field is required.') : null;
    if (value === null) return options.nullable ? null : problem('null', 'This field may not be null.');
    return check(value);
  };
}

/** What PostgreSQL cannot store as text: NUL and half a surrogate pair. */
export function unstorable(text: string): Problem | null {
  if (text.includes('\0')) return problem('null_characters_not_allowed', 'Null characters are not allowed.');
  if (!text.isWellFormed()) {
    return problem('surrogate_characters_not_allowed', 'Surrogate characters must come in pairs.');
  }
  return null;
}
