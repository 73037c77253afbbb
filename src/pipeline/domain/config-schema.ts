import { isNothing, own, readValue, ValueProblem } from './config-values';
import type { Json } from './json';
import { ConfigFieldInvalid } from './plugin-config-errors';

/** One setting that a plugin asks for. */
export interface ConfigField {
  readonly key: string;
  /** `string`, `choice`, `json`, `attachment`; settings of another type take any value. */
  readonly type: string;
  readonly required: boolean;
  readonly secret: boolean;
  readonly choices: readonly unknown[];
  readonly hasDefault: boolean;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The settings that a plugin asks for, out of its `config_schema`: a list of objects with a `key`, or an object by
 * key. What names no setting, such as a list's text between two of them, is left out. Read queries read it in the same
 * way (`plugin-config.columns.ts`).
 */
export class ConfigSchema {
  private readonly byKey: ReadonlyMap<string, ConfigField>;

  private constructor(readonly fields: readonly ConfigField[]) {
    this.byKey = new Map(fields.map((field) => [field.key, field]));
  }

  static of(schema: unknown): ConfigSchema {
    const entries: [unknown, unknown][] = Array.isArray(schema)
      ? schema.map((spec) => [isObject(spec) ? spec.key : null, spec])
      : Object.entries(schema ?? {});
    const specs = new Map<string, Json[]>();
    for (const [key, spec] of entries) {
      if (typeof key === 'string' && isObject(spec)) specs.set(key, [...(specs.get(key) ?? []), spec]);
    }
    return new ConfigSchema([...specs].map(([key, same]) => fieldOf(key, same)));
  }

  has(key: string): boolean {
    return this.byKey.has(key);
  }

  /** The keys of the secrets that were none in an earlier schema. */
  newSecrets(earlier: ConfigSchema): string[] {
    const isNew = ({ key, secret }: ConfigField) => secret && !earlier.byKey.get(key)?.secret;
    return this.fields.filter(isNew).map(({ key }) => key);
  }

  /** @throws ConfigFieldInvalid */
  read({ key, type, choices }: ConfigField, value: unknown): unknown {
    const read = readValue(type, choices, value);
    if (read instanceof ValueProblem) throw new ConfigFieldInvalid(key, read.code, read.detail);
    return read;
  }

  /** The first setting that is required and has neither a value nor a default. */
  missingIn(config: Json): ConfigField | null {
    const lacks = ({ key, required, hasDefault }: ConfigField) =>
      required && !hasDefault && isNothing(own(config, key));
    return this.fields.find(lacks) ?? null;
  }
}

/** Of a key that is named twice the first counts; it is secret if either is. */
function fieldOf(key: string, [spec = {}, ...others]: readonly Json[]): ConfigField {
  return {
    key,
    type: typeof spec.type === 'string' ? spec.type : 'string',
    required: Boolean(spec.required),
    secret: [spec, ...others].some(({ secret }) => Boolean(secret)),
    choices: Array.isArray(spec.choices) ? spec.choices : [],
    hasDefault: !isNothing(spec.default),
  };
}
