import { mergeConfiguration, partOf, readConfiguration, withDefaults } from './configuration';
import { SecretsNotGivenAgain } from './destination-errors';
import type { Config } from './destination-rules';
import { type DestinationTypeName, destinationType, isDestinationType } from './destination-types';

/** What a caller says of a destination; what is absent stays as it is. */
export interface DestinationChange {
  readonly type?: DestinationTypeName;
  readonly config?: Config;
  /** The change must be a whole destination by itself, as on create (BE-17). */
  readonly whole?: boolean;
}

/** Where an export sends its data, secrets included. */
export class Destination {
  private constructor(
    readonly type: DestinationTypeName,
    private readonly configuration: Config,
  ) {}

  /** @throws Invalid when the configuration is not one of the type's (BE-17, BE-20) */
  static of(type: DestinationTypeName, config: Config = {}): Destination {
    const { fields, rules } = destinationType(type);
    const configuration = readConfiguration(fields, config);
    const complete = withDefaults(fields, configuration);
    for (const rule of rules) rule(complete);
    return new Destination(type, configuration);
  }

  /**
   * One that was checked when it was stored. Of a type that is no longer one, nothing but a change to another type
   * can be had; all else throws DestinationTypeGone.
   */
  static stored(type: DestinationTypeName, config: Config, secrets: Config): Destination {
    const fields = isDestinationType(type) ? destinationType(type).fields : {};
    return new Destination(type, mergeConfiguration(fields, config, secrets));
  }

  /**
   * The configuration is merged field by field, and must then be valid as a whole (BE-26). Another type starts
   * from nothing: its fields mean other things. Stored secrets never go to another place: who changes that, knows
   * them.
   * @throws Invalid
   */
  changed({ type = this.type, config = {}, whole = false }: DestinationChange): Destination {
    if (whole) Destination.of(type, config);
    if (type !== this.type) return Destination.of(type, config);
    const { fields } = destinationType(type);
    const changed = Destination.of(type, mergeConfiguration(fields, this.configuration, config));
    const [secret, ...secrets] = Object.keys(this.secrets).filter(
      (name) => fields[name]?.secret && this.configuration[name] !== null && config[name] === undefined,
    );
    const [before, after] = [this.withDefaults, changed.withDefaults];
    const moved = Object.keys(fields).filter(
      (name) => fields[name]?.leads && (before[name] ?? null) !== (after[name] ?? null),
    );
    if (secret && moved.length > 0) throw new SecretsNotGivenAgain(moved, [secret, ...secrets]);
    return changed;
  }

  /** What may be shown: the configuration as it was given, without its secrets (BE-15). */
  get config(): Config {
    return partOf(destinationType(this.type).fields, this.configuration, 'public');
  }

  get secrets(): Config {
    return partOf(destinationType(this.type).fields, this.configuration, 'secret');
  }

  /** The names of the secrets that are not what they were before; of another type, those that there are now. */
  secretsUnlike(before: Destination): string[] {
    const own = this.secrets;
    if (before.type !== this.type) return Object.keys(own);
    const others = before.secrets;
    return [...new Set([...Object.keys(own), ...Object.keys(others)])].filter(
      (name) => (own[name] ?? null) !== (others[name] ?? null),
    );
  }

  /**
   * What a writer works with: secrets, and the defaults of what is not given.
   * @throws Invalid for what an earlier version stored, and this one does not support
   */
  get complete(): Config {
    return Destination.of(this.type, this.configuration).withDefaults;
  }

  private get withDefaults(): Config {
    return withDefaults(destinationType(this.type).fields, this.configuration);
  }
}
