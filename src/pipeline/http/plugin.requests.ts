import { Bool, Choice, JsonObject, Text } from '../../shared/http/fields/index';
import { type Json, PLUGIN_TYPES, type PluginDetails, type PluginType } from '../domain/plugin';

/** What PATCH and PUT take; nothing is required. */
export class UpdatePluginRequest {
  @Choice({
    choices: PLUGIN_TYPES,
    nullable: true,
    description: 'Where the code comes from; on create with a `url`, `custom` unless given.',
    example: 'local',
  })
  plugin_type?: PluginType | null;

  @Text({ max: 200, blank: true, nullable: true, description: 'Name.', example: 'Hello world' })
  name?: string | null;

  @Text({
    max: 10_000,
    blank: true,
    nullable: true,
    description: 'What the plugin does.',
    example: 'Greets every event.',
  })
  description?: string | null;

  @Text({
    max: 800,
    blank: true,
    nullable: true,
    description: 'Address of a picture.',
    example: 'https://example.com/icon.png',
  })
  icon?: string | null;

  @JsonObject({
    orList: true,
    nullable: true,
    description:
      'The settings that the plugin asks for: an object by name, or a list of objects. `{}` on create unless given.',
    example: { greeting: { name: 'Greeting', type: 'string', default: 'Hello' } },
  })
  config_schema?: Json | Json[] | null;

  @Text({ max: 200, blank: true, nullable: true, description: 'Version.', example: 'v1.0.0' })
  tag?: string | null;

  @Bool({
    description:
      'Whether every organization sees and may use the plugin; false on create unless given. True on create, and any value in a PATCH, needs an ' +
      'organization with plugins access level 9; so does a PUT that changes it.',
    example: false,
  })
  is_global?: boolean;

  @JsonObject({
    nullable: true,
    description: 'What the plugin can do. `{}` on create unless given.',
    example: { methods: ['onEvent'] },
  })
  capabilities?: Json | null;

  @JsonObject({
    nullable: true,
    description: 'The metrics that the plugin reports, by name. `{}` on create unless given.',
    example: { greetings: 'sum' },
  })
  metrics?: Json | null;

  @JsonObject({
    nullable: true,
    description: 'The jobs that people may start, by name. `{}` on create unless given.',
    example: { greetAll: { payload: {} } },
  })
  public_jobs?: Json | null;
}

export class CreatePluginRequest extends UpdatePluginRequest {
  @Text({
    max: 800,
    nullable: true,
    description:
      'Address of a GitHub or GitLab repository or of an npm package, `https` only; it cannot be changed later. It is ' +
      'stored; nothing is fetched from it. A `?private_token=` is kept encrypted and never shown.',
    example: 'https://github.com/PostHog/helloworldplugin',
  })
  url?: string | null;
}

export function detailsOf(body: UpdatePluginRequest): PluginDetails {
  return {
    pluginType: body.plugin_type,
    name: body.name,
    description: body.description,
    icon: body.icon,
    configSchema: body.config_schema,
    tag: body.tag,
    isGlobal: body.is_global,
    capabilities: body.capabilities,
    metrics: body.metrics,
    publicJobs: body.public_jobs,
  };
}
