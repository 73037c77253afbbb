import type { ConfigField, ConfigSchema } from './config-schema';
import { isHidden, isMask, isNothing, masked, own } from './config-values';
import type { Json } from './json';
import {
  ConfigFieldMissing,
  ConfigFieldUnknown,
  DeletedConfigIsDisabled,
  NothingToKeep,
  settingName,
} from './plugin-config-errors';

/** Seals secrets for the database. `context` binds them to the config that they belong to. */
export interface Vault {
  seal(text: string, context: string): Buffer;
  /** @throws Error when it was sealed for another context, or with a key that is no longer there */
  open(sealed: Buffer, context: string): string;
}

/** The project that a config belongs to. */
export interface ConfigPlace {
  readonly organizationId: string;
  readonly projectId: number;
}

/** What a caller may set; absent fields stay as they are. */
export interface PluginConfigDetails {
  readonly enabled?: boolean;
  readonly order?: number;
  readonly config?: Json;
  /** Null or empty: as the plugin's. */
  readonly name?: string | null;
  readonly description?: string | null;
  readonly deleted?: boolean;
}

interface Stored {
  readonly value: unknown;
  readonly sealed: boolean;
}

/** How a project uses a plugin: whether it does, in which place, and with which settings. */
export class PluginConfig {
  /** As answers show it: what is sealed is a mask here. */
  private config: Json = {};
  /** The values behind the masks, by key, as one sealed text. */
  private sealedValues: Buffer | null = null;
  private enabled = false;
  private name: string | null = null;
  private description: string | null = null;
  private deleted = false;
  private updatedAt: Date;

  constructor(
    /** Given before it is stored, as what is sealed is bound to it. */
    readonly id: number,
    readonly projectId: number,
    readonly pluginId: number,
    private order: number,
    private readonly createdAt: Date,
  ) {
    this.updatedAt = createdAt;
  }

  get title(): string | null {
    return this.name || null;
  }

  /**
   * A `config` takes the place of the one before, except that secrets and files that it leaves out, or sends as
   * answers show them, stay. What is deleted is disabled.
   * @returns the keys of the secrets that changed, which two masks do not tell
   * @throws ConfigFieldUnknown, ConfigFieldInvalid, ConfigFieldMissing, NothingToKeep, DeletedConfigIsDisabled
   */
  change(schema: ConfigSchema, details: PluginConfigDetails, vault: Vault, at: Date): string[] {
    const wasEnabled = this.enabled;
    this.deleted = details.deleted ?? this.deleted;
    if (this.deleted && details.enabled && !details.deleted) throw new DeletedConfigIsDisabled();
    this.enabled = (details.enabled ?? this.enabled) && !this.deleted;
    this.order = details.order ?? this.order;
    if (details.name !== undefined) this.name = details.name;
    if (details.description !== undefined) this.description = details.description;
    const changed = details.config ? this.configure(schema, details.config, vault) : [];
    if (this.enabled && (details.config || !wasEnabled)) this.requireComplete(schema);
    this.updatedAt = at;
    return changed;
  }

  /** Soft: it can be restored. */
  delete(at: Date): void {
    this.deleted = true;
    this.enabled = false;
    this.updatedAt = at;
  }

  putInPlace(order: number, at: Date): void {
    this.order = order;
    this.updatedAt = at;
  }

  /** Seals what was given before its setting became a secret. */
  protect(schema: ConfigSchema, vault: Vault): void {
    const inTheClear = schema.fields.filter(({ key, secret }) => secret && !isHidden(own(this.config, key)));
    if (inTheClear.length === 0) return;
    const values = this.values(vault);
    for (const { key } of inTheClear) values.set(key, { value: values.get(key)?.value, sealed: true });
    this.store(schema, values, vault);
  }

  /** What may be told of it, the settings as `config__key`; null where nothing is set. */
  shown(schema: ConfigSchema): Record<string, unknown> {
    const { id, enabled, order, name, description, deleted } = this;
    const settings = schema.fields.map(({ key, type, secret }) => {
      const value = own(this.config, key);
      return [settingName(key), secret && !isHidden(value) ? masked(type, true, value) : value];
    });
    return { id, enabled, order, name, description, deleted, ...Object.fromEntries(settings) };
  }

  private configure(schema: ConfigSchema, given: Json, vault: Vault): string[] {
    const unknown = Object.keys(given).find((key) => !schema.has(key));
    if (unknown !== undefined) throw new ConfigFieldUnknown(unknown);
    const before = this.values(vault);
    const after = new Map<string, Stored>();
    for (const field of schema.fields) {
      const stored = this.next(schema, field, own(given, field.key), before.get(field.key));
      if (stored) after.set(field.key, stored);
    }
    this.store(schema, after, vault);
    return [...after].flatMap(([key, { value, sealed }]) => {
      const old = before.get(key);
      return sealed && old && JSON.stringify(old.value) !== JSON.stringify(value) ? [key] : [];
    });
  }

  /** What becomes of one setting. What was sealed once stays so until another value is given. */
  private next(
    schema: ConfigSchema,
    field: ConfigField,
    value: unknown,
    old: Stored | undefined,
  ): Stored | undefined {
    const kept = field.secret || field.type === 'attachment';
    if (value === null) return kept ? old && { value: old.value, sealed: !isNothing(old.value) } : undefined;
    if (!isMask(field.type, value)) {
      return { value: schema.read(field, value), sealed: kept && !isNothing(value) };
    }
    if (!old) throw new NothingToKeep(field.key);
    return { value: old.value, sealed: kept || old.sealed };
  }

  private values(vault: Vault): Map<string, Stored> {
    const text = this.sealedValues ? vault.open(this.sealedValues, this.context) : '{}';
    const sealed = JSON.parse(text) as Json;
    const stored = ([key, value]: [string, unknown]): [string, Stored] =>
      Object.hasOwn(sealed, key)
        ? [key, { value: sealed[key], sealed: true }]
        : [key, { value, sealed: false }];
    return new Map(Object.entries(this.config).map(stored));
  }

  private store(schema: ConfigSchema, values: ReadonlyMap<string, Stored>, vault: Vault): void {
    const fields = new Map(schema.fields.map((field) => [field.key, field]));
    const shown = ([key, { value, sealed }]: [string, Stored]) => {
      const { type, secret } = fields.get(key) ?? { type: 'string', secret: true };
      return [key, sealed ? masked(type, secret || type !== 'attachment', value) : value];
    };
    this.config = Object.fromEntries([...values].map(shown));
    const sealed = [...values].flatMap(([key, stored]) => (stored.sealed ? [[key, stored.value]] : []));
    this.sealedValues =
      sealed.length > 0 ? vault.seal(JSON.stringify(Object.fromEntries(sealed)), this.context) : null;
  }

  private requireComplete(schema: ConfigSchema): void {
    const missing = schema.missingIn(this.config);
    if (missing) throw new ConfigFieldMissing(missing.key);
  }

  private get context(): string {
    return `plugin config ${this.id}`;
  }
}
