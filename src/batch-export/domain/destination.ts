import { mergeConfiguration, partOf, readConfiguration, withDefaults } from './configuration';
import type { Config } from './destination-rules';
import { type DestinationTypeName, destinationType } from './destination-types';

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

  /** @throws Invalid when the configuration is not one of the type's (BE-17, BE-20..BE-22) */
  static of(type: DestinationTypeName, config: Config = {}): Destination {
    const { fields, rules } = destinationType(type);
    const configuration = readConfiguration(fields, config);
    const complete = withDefaults(fields, configuration);
    for (const rule of rules) rule(complete);
    return new Destination(type, configuration);
  }

  /** One that was checked when it was stored. */
  static stored(type: DestinationTypeName, config: Config, secrets: Config): Destination {
    return new Destination(type, mergeConfiguration(destinationType(type).fields, config, secrets));
  }

  /**
   * The configuration is merged field by field, and must then be valid as a whole (BE-26). Another type starts
   * from nothing: its fields mean other things.
   * @throws Invalid
   */
  changed({ type = this.type, config = {}, whole = false }: DestinationChange): Destination {
    if (whole) Destination.of(type, config);
    if (type !== this.type) return Destination.of(type, config);
    return Destination.of(type, mergeConfiguration(destinationType(type).fields, this.configuration, config));
  }

  /** What may be shown: the configuration as it was given, without its secrets (BE-15). */
  get config(): Config {
    return partOf(destinationType(this.type).fields, this.configuration, 'public');
  }

  get secrets(): Config {
    return partOf(destinationType(this.type).fields, this.configuration, 'secret');
  }
}
