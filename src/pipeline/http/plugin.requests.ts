import { Bool, Choice, JsonObject, Text } from '../../shared/http/fields/index';
import { type Json, PLUGIN_TYPES, type PluginDetails, type PluginType } from '../domain/plugin';

/** What PATCH and PUT take; nothing is required. */
export class UpdatePluginRequest {
  @Choice({
    choices: PLUGIN_TYPES,
    nullable: true,
    description:
      'Where the code comes from. On create with a `url`, `custom` or, with `file:`, `local`, unless `repository` is given.',
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

  @Text({
    max: 200,
    blank: true,
    nullable: true,
    description: 'Version; with a `url`, the one that is fetched.',
    example: 'v1.0.0',
  })
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
    description:
      'What the plugin can do: `methods`, `scheduled_tasks` and `jobs`. Unless given on create, what its source exports ' +
      'where it has a `url`, else `{}`. An upgrade, or an edit of code that the server would start, finds it out again.',
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
      'Where to fetch it from; it cannot be changed later. A GitHub or GitLab repository, also at a branch, tag or commit ' +
      'and, after a branch, a folder of it (`https://github.com/owner/name/tree/main/folder`); an npm package ' +
      '(`https://www.npmjs.com/package/name/v/1.2.3`); an archive (`https`, ends with `.tgz` or `.tar.gz`); where the ' +
      'server has a folder of plugins, one below it (`file:name`). A `?private_token=` is sent to that host alone, ' +
      'kept encrypted and never shown.',
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
