import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { SECRET_MASK } from '../domain/config-values';
import { PluginResponse } from './plugin.responses';

@ApiSchema({ name: 'PluginConfig', description: 'How a project uses a plugin.' })
export class PluginConfigResponse {
  @ApiProperty({ type: 'integer', example: 7, description: 'Id.' })
  id!: number;

  @ApiProperty({ type: 'integer', example: 42, description: 'Id of the plugin.' })
  plugin!: number;

  @ApiProperty({ example: true, description: 'Whether the project uses it.' })
  enabled!: boolean;

  @ApiProperty({ type: 'integer', example: 1, description: 'Place among the configs of the project.' })
  order!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { host: 'https://example.com', apiKey: SECRET_MASK },
    description:
      "Values of the settings that the plugin's `config_schema` asks for now. A secret is a mask; a file is an object " +
      'of `uid`, `saved`, `size` in bytes, `name` and `type`, without its contents.',
  })
  config!: Record<string, unknown>;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'Why it does not work; always null, since plugins do not run here.',
  })
  error!: string | null;

  @ApiProperty({ type: 'integer', example: 1, description: 'Id of the project.' })
  team_id!: number;

  @ApiProperty({
    type: () => PluginResponse,
    nullable: true,
    description: 'The plugin; null in lists.',
  })
  plugin_info!: PluginResponse | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    example: null,
    description: 'Share of the events of a day that arrived; always null, since plugins do not run here.',
  })
  delivery_rate_24h!: number | null;

  @ApiProperty({ format: 'date-time', example: '2025-03-01T09:30:00Z', description: 'When it was created.' })
  created_at!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2025-03-01T09:30:00Z',
    description: 'When it was last changed.',
  })
  updated_at!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'Greetings',
    description: "Name, else the plugin's.",
  })
  name!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    example: 'Greets new customers.',
    description: "What it is for, else the plugin's description.",
  })
  description!: string | null;

  @ApiProperty({ example: false, description: 'Whether it is deleted; it can be restored.' })
  deleted!: boolean;
}
