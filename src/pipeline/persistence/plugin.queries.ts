import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement, Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { PluginShelf } from '../domain/plugin-family';

/** The fields of a plugin (2.8) out of `plugins AS p` and `organizations AS o`. */
const COLUMNS = `
  p.id, p.plugin_type, p.name, p.description, p.url, p.icon, p.config_schema, p.tag, p.latest_tag, p.is_global,
  p.organization_id, o.name AS organization_name, p.capabilities, p.metrics, p.public_jobs,
  'false' AS hog_function_migration_available`;

const FROM = 'plugins p JOIN organizations o ON o.id = p.organization_id';

/** What an organization sees of a family: its own and global ones (D17). */
const VISIBLE = 'p.family = $1 AND (p.organization_id = $2 OR p.is_global)';
const OWN = 'p.family = $1 AND p.organization_id = $2';

const RETRIEVE = resourceStatement('plugin.retrieve', {
  columns: COLUMNS,
  from: FROM,
  where: `${VISIBLE} AND p.id = $3`,
});

const RETRIEVE_OWN = resourceStatement('plugin.retrieve_own', {
  columns: COLUMNS,
  from: FROM,
  where: `${OWN} AND p.id = $3`,
});

const LIST = pageStatement('plugin.list', { columns: COLUMNS, from: FROM, where: VISIBLE, order: 'p.id' });

const IDS = new Statement<{ json: string }>(
  'plugin.ids',
  `SELECT coalesce(json_agg(p.id ORDER BY p.id), '[]')::text AS json FROM plugins p WHERE ${VISIBLE}`,
);

const SOURCE = new Statement<{ json: string }>(
  'plugin.source',
  `SELECT (SELECT coalesce(json_object_agg(f.filename, f.content ORDER BY f.filename), '{}')
             FROM plugin_source_files f WHERE f.plugin_id = p.id)::text AS json
     FROM plugins p WHERE ${OWN} AND p.id = $3`,
);

@Injectable()
export class PluginQueries {
  constructor(private readonly transaction: Transaction) {}

  list({ family, organizationId }: PluginShelf, window: PageWindow): Promise<Page> {
    return this.transaction.page(LIST, [family, organizationId], window);
  }

  /** @throws NotFound */
  retrieve({ family, organizationId }: PluginShelf, id: number): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [family, organizationId, id]);
  }

  /** @throws NotFound for a global plugin of another organization as well (PLUG-26). */
  retrieveOwn({ family, organizationId }: PluginShelf, id: number): Promise<Representation> {
    return this.transaction.resource(RETRIEVE_OWN, [family, organizationId, id]);
  }

  /** An array of the ids of all plugins that the organization sees. */
  ids({ family, organizationId }: PluginShelf): Promise<Representation> {
    return this.transaction.resource(IDS, [family, organizationId]);
  }

  /** An object of contents by file name (PLUG-22). @throws NotFound unless the organization installed it. */
  source({ family, organizationId }: PluginShelf, id: number): Promise<Representation> {
    return this.transaction.resource(SOURCE, [family, organizationId, id]);
  }
}
