import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { MAINTAINERS } from '../domain/catalogued-plugin';
import { PLUGIN_TYPES } from '../domain/plugin';

const JSON_OBJECT = { type: 'object', additionalProperties: true } as const;

@ApiSchema({ name: 'Plugin', description: 'A plugin of one of the four pipeline families.' })
export class PluginResponse {
  @ApiProperty({ type: 'integer', example: 42, description: 'Id.' })
  id!: number;

  @ApiProperty({
    type: 'string',
    enum: [...PLUGIN_TYPES, null],
    nullable: true,
    example: 'local',
    description: 'Where the code comes from.',
  })
  plugin_type!: string | null;

  @ApiProperty({ type: 'string', nullable: true, example: 'Hello world', description: 'Name.' })
  name!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'Greets every event.',
    description: 'What the plugin does.',
  })
  description!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'https://github.com/PostHog/helloworldplugin',
    description: 'Address that the plugin comes from, without its private token.',
  })
  url!: string | null;

  @ApiProperty({ type: 'string', nullable: true, example: null, description: 'Address of a picture.' })
  icon!: string | null;

  @ApiProperty({
    oneOf: [JSON_OBJECT, { type: 'array', items: JSON_OBJECT }],
    nullable: true,
    example: {},
    description: 'The settings that the plugin asks for: an object by name, or a list of objects.',
  })
  config_schema!: Record<string, unknown> | Record<string, unknown>[] | null;

  @ApiProperty({ type: 'string', nullable: true, example: 'v1.0.0', description: 'Version.' })
  tag!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'Newest version at its address, as of the last time it was asked; null without an address.',
  })
  latest_tag!: string | null;

  @ApiProperty({ example: false, description: 'Whether every organization sees and may use it.' })
  is_global!: boolean;

  @ApiProperty({
    format: 'uuid',
    example: '0195b1f4-7c1c-7000-8000-0123456789ab',
    description: 'The organization that installed it.',
  })
  organization_id!: string;

  @ApiProperty({ example: 'Hedgerow Ltd', description: 'Name of that organization.' })
  organization_name!: string;

  @ApiProperty({
    ...JSON_OBJECT,
    nullable: true,
    example: { methods: ['onEvent'] },
    description: 'What the plugin can do: `methods`, `scheduled_tasks` and `jobs`; `{}` where nobody knows.',
  })
  capabilities!: Record<string, unknown> | null;

  @ApiProperty({
    ...JSON_OBJECT,
    nullable: true,
    example: {},
    description: 'The metrics that the plugin reports, by name.',
  })
  metrics!: Record<string, unknown> | null;

  @ApiProperty({
    ...JSON_OBJECT,
    nullable: true,
    example: {},
    description: 'The jobs that people may start, by name.',
  })
  public_jobs!: Record<string, unknown> | null;

  @ApiProperty({
    enum: ['false'],
    example: 'false',
    description: 'Whether a successor of the plugin can take over, as text; there are none.',
  })
  hog_function_migration_available!: string;
}

@ApiSchema({ name: 'PluginUpdates', description: 'A plugin after looking for a newer version.' })
export class PluginUpdatesResponse {
  @ApiProperty({ type: () => PluginResponse, description: 'The plugin.' })
  plugin!: PluginResponse;
}

@ApiSchema({ name: 'CataloguedPlugin', description: 'A plugin that the catalogue knows.' })
export class CataloguedPluginResponse {
  @ApiProperty({ example: 'Hello World', description: 'Name.' })
  name!: string;

  @ApiProperty({
    format: 'uri',
    example: 'https://github.com/PostHog/posthog-hello-world-plugin',
    description: 'Address to install it from.',
  })
  url!: string;

  @ApiProperty({ example: 'Greets the world with every event.', description: 'What it does.' })
  description!: string;

  @ApiProperty({
    type: 'string',
    format: 'uri',
    nullable: true,
    example: null,
    description: 'Address of a picture.',
  })
  icon!: string | null;

  @ApiProperty({ example: true, description: 'Whether the keepers of the catalogue have looked at it.' })
  verified!: boolean;

  @ApiProperty({ enum: MAINTAINERS, example: 'official', description: 'Who looks after it.' })
  maintainer!: string;
}
