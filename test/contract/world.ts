import type { OpenAPIObject } from '@nestjs/swagger';
import { PluginsAccess } from '../../src/shared/domain/level';
import type { Person, TestApi } from '../support/api';

/** An organization with one of everything, and the ids that the placeholders of the document's paths stand for. */
export class World {
  private constructor(
    readonly owner: Person,
    private readonly ids: Readonly<Record<string, string>>,
  ) {}

  static async create(api: TestApi): Promise<World> {
    const owner = await api.owner({ pluginsAccessLevel: PluginsAccess.Root });
    const made = async (path: string, body: object): Promise<string> => {
      const answer = await owner.post(path, body);
      if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
      return String(answer.body.id);
    };
    const member = await api.member(owner);
    const access = await owner.put(owner.projectPath(`members/${member.user.uuid}/`), { level: 1 });
    if (access.status !== 200) throw new Error(`Access to the project: ${access.text}`);
    const name = owner.organizationId.slice(-12);
    const families = ['destinations', 'frontend_apps', 'import_apps', 'transformations'];
    const plugins: Record<string, string> = {};
    for (const family of families) {
      plugins[`pipeline_${family}`] = await made(owner.path(`pipeline_${family}/`), { plugin_type: 'local' });
    }
    const batchExport = await made(owner.path('batch_exports/'), {
      name: 'Nightly',
      interval: 'day',
      destination: { type: 'NoOp', config: {} },
    });
    const ofExport = owner.path(`batch_exports/${batchExport}/`);
    await api.eventAt(owner.projectId, '2025-03-01T12:00:00Z');
    const range = { start_at: '2025-03-01T00:00:00Z', end_at: '2025-03-02T00:00:00Z' };
    const backfill = await made(`${ofExport}backfills/`, range);
    const runs = await owner.get(`${ofExport}runs/`);
    return new World(owner, {
      ...plugins,
      organizations: owner.organizationId,
      projects: String(owner.projectId),
      members: member.user.uuid,
      domains: await made(owner.path('domains/'), { domain: `d${name}.example.com` }),
      invites: await made(owner.path('invites/'), { target_email: 'invited@example.com' }),
      actions: await made(owner.projectPath('actions/'), { name: 'Signed up' }),
      batch_exports: batchExport,
      backfills: backfill,
      runs: String(runs.body.results[0].id),
      plugin_configs: await made(owner.projectPath('plugin_configs/'), {
        plugin: Number(plugins.pipeline_destinations),
      }),
      personal_api_keys: await made('/api/personal_api_keys/', { label: 'Other', scopes: ['action:read'] }),
      signup: 'an-unknown-secret',
    });
  }

  /** A path of the document with this world's ids in it; with those of another world in some positions. */
  path = (template: string, foreign?: { readonly of: World; readonly at: readonly number[] }): string => {
    let position = -1;
    return template.replace(/([\w@]+)\/\{(\w+)\}/g, (_, collection: string, name: string) => {
      position += 1;
      const { owner, ids } = foreign?.at.includes(position) ? foreign.of : this;
      const id = name === 'organization_id' ? owner.organizationId : ids[collection];
      if (id === undefined) throw new Error(`No ${collection} in the world for ${template}`);
      return `${collection}/${id}`;
    });
  };
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly example?: unknown;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly scope: string | null;
  readonly secured: boolean;
  readonly parameters: readonly { name: string; in: string; description?: string; schema: Schema }[];
  /** The schema of the JSON body, references resolved at the top. */
  readonly body: Schema | null;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** Follows a reference, also one that `allOf` wraps to add a description. */
export function resolved(document: OpenAPIObject, schema: Schema): Schema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (!reference) return schema;
  const name = reference.replace('#/components/schemas/', '');
  return {
    ...(document.components?.schemas?.[name] as Schema),
    ...(schema.nullable ? { nullable: true } : {}),
  };
}

export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Record<string, unknown>>)
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, operation]) => {
        const content = (
          operation.requestBody as { content?: Record<string, { schema: Schema }> } | undefined
        )?.content;
        const body = content?.['application/json']?.schema;
        return {
          method: method.toUpperCase(),
          path,
          operationId: String(operation.operationId),
          summary: operation.summary as string | undefined,
          description: operation.description as string | undefined,
          tags: operation.tags as string[] | undefined,
          scope: (operation['x-required-scope'] as string | undefined) ?? null,
          // An empty requirement among them means that a key may be left out.
          secured:
            Array.isArray(operation.security) &&
            operation.security.length > 0 &&
            operation.security.every((requirement: object) => Object.keys(requirement).length > 0),
          parameters: (operation.parameters ?? []) as Operation['parameters'],
          body: body ? resolved(document, body) : null,
          responses: operation.responses as Record<string, unknown>,
        };
      }),
  );
}
