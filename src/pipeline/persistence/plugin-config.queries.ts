import { Injectable } from '@nestjs/common';
import { arrayOf, type Page, type PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { ConfigPlace } from '../domain/plugin-config';
import type { PluginShelf } from '../domain/plugin-family';
import { visibleTo } from './plugin.columns';
import { CONFIG_COLUMNS, CONFIG_FROM, CONFIG_PLUGIN, LISTED_CONFIG_COLUMNS } from './plugin-config.columns';

const ORDER = 'c."order", c.id';
/** Of an array, which has no pages; it ends earlier where it would be larger than 8 MiB. */
const LONGEST_ARRAY = { limit: 1000, offset: 0 };

const RETRIEVE = resourceStatement('plugin_config.retrieve', {
  columns: CONFIG_COLUMNS,
  from: CONFIG_FROM,
  where: `c.project_id = $2 AND c.id = $3 AND ${visibleTo('$1')}`,
});

const LIST = pageStatement('plugin_config.list', {
  columns: LISTED_CONFIG_COLUMNS,
  from: 'plugin_configs c',
  join: CONFIG_PLUGIN,
  where: 'c.project_id = $1 AND NOT c.deleted',
  order: ORDER,
});

/** Without those that are of no kind that sends data out (PLUG-31). */
const EXPORTING = pageStatement('plugin_config.exporting', {
  columns: CONFIG_COLUMNS,
  from: `${CONFIG_FROM} JOIN project_viewers pr ON pr.project_id = c.project_id`,
  where: `p.family = $1 AND pr.organization_id = $2 AND pr.user_id = $3 AND c.enabled AND coalesce(p.capabilities, '{}') <> '{}'
    AND NOT (p.is_global AND coalesce(p.capabilities->'methods' ? 'processEvent', false))`,
  order: `pr.project_id, ${ORDER}`,
});

@Injectable()
export class PluginConfigQueries {
  constructor(private readonly transaction: Transaction) {}

  /** By order; those that are deleted are left out. */
  list(projectId: number, window: PageWindow): Promise<Page> {
    return this.transaction.page(LIST, [projectId], window);
  }

  /** An array of what `list` shows, at most 1000. */
  async all(projectId: number): Promise<Representation> {
    return new Representation(arrayOf((await this.list(projectId, LONGEST_ARRAY)).results));
  }

  /** A deleted one as well, as long as the organization sees its plugin. @throws NotFound */
  retrieve({ organizationId, projectId }: ConfigPlace, id: number): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [organizationId, projectId, id]);
  }

  /**
   * An array of the enabled configs that send data out (PLUG-31), of those of the organization's projects that the user
   * sees; at most 1000.
   */
  async exporting({ family, organizationId }: PluginShelf, userId: number): Promise<Representation> {
    const values = [family, organizationId, userId];
    const { results } = await this.transaction.page(EXPORTING, values, LONGEST_ARRAY);
    return new Representation(arrayOf(results));
  }
}
