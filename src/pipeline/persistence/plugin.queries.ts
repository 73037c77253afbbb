import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement, Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { PluginShelf } from '../domain/plugin-family';
import { PLUGIN_COLUMNS, PLUGIN_FROM, PLUGIN_OWNER, visibleOf, visibleTo } from './plugin.columns';

/** What an organization sees of a family. */
const VISIBLE = `p.family = $1 AND ${visibleTo('$2')}`;
const ALL_VISIBLE = visibleOf('$1', '$2');
const OWN = 'p.family = $1 AND p.organization_id = $2';

const RETRIEVE = resourceStatement('plugin.retrieve', {
  columns: PLUGIN_COLUMNS,
  from: PLUGIN_FROM,
  where: `${VISIBLE} AND p.id = $3`,
});

const RETRIEVE_OWN = resourceStatement('plugin.retrieve_own', {
  columns: PLUGIN_COLUMNS,
  from: PLUGIN_FROM,
  where: `${OWN} AND p.id = $3`,
});

const LIST = pageStatement('plugin.list', {
  columns: PLUGIN_COLUMNS,
  from: 'plugins p',
  join: PLUGIN_OWNER,
  where: ALL_VISIBLE,
  order: 'p.id',
});

const UNUSED = new Statement<{ json: string }>(
  'plugin.unused',
  `SELECT coalesce(json_agg(p.id ORDER BY p.id), '[]')::text AS json FROM plugins p
    WHERE ${ALL_VISIBLE} AND NOT EXISTS (SELECT FROM plugin_configs c WHERE c.plugin_id = p.id AND c.enabled)`,
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

  /** An array of the ids of the plugins that the organization sees and no project anywhere has enabled (PLUG-30). */
  unused({ family, organizationId }: PluginShelf): Promise<Representation> {
    return this.transaction.resource(UNUSED, [family, organizationId]);
  }

  /** An object of contents by file name (PLUG-22). @throws NotFound unless the organization installed it. */
  source({ family, organizationId }: PluginShelf, id: number): Promise<Representation> {
    return this.transaction.resource(SOURCE, [family, organizationId, id]);
  }
}
