import { Injectable } from '@nestjs/common';
import { Level } from '../../shared/domain/level';
import {
  NumberedPage,
  type NumberedWindow,
  type Page,
  type PageWindow,
} from '../../shared/domain/representation';
import { pageStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { ActivityFilter } from '../activity-filter';

const FROM = 'activity_log a';
const USER = 'LEFT JOIN users u ON u.id = a.user_id';
const ORDER = 'a.created_at DESC, a.id DESC';

/** Whether the user $2 administers the organization $1: who does sees all that was done in it. */
const ADMINISTERS = `EXISTS (SELECT FROM organization_memberships m
   WHERE m.organization_id = $1 AND m.user_id = $2 AND m.level >= ${Level.Admin})`;

/**
 * What the user $2 sees of the log of the organization $1: in projects, what is in those that they see. What was done
 * in a project that is gone nobody else is told, since nobody knows any more who saw it. Each part that depends on the
 * user alone is computed once.
 */
const SEEN = `a.organization_id = $1 AND (
  a.project_id IS NULL
  OR a.project_id = ANY (ARRAY(SELECT v.project_id FROM project_viewers v
                                WHERE v.organization_id = $1 AND v.user_id = $2))
  OR ${ADMINISTERS})`;

/** Of one scope ($3) and type ($4). */
const LIST_OF_KIND = pageStatement('activity.list_of_kind', {
  columns: `
    CASE WHEN u.id IS NULL THEN NULL
         ELSE json_build_object('first_name', u.first_name, 'email', u.email) END AS "user",
    a.activity, iso8601(a.created_at) AS created_at, a.scope, a.item_id, a.detail`,
  from: FROM,
  join: USER,
  where: `${SEEN} AND a.scope = $3 AND a.detail->>'type' = $4`,
  order: ORDER,
  whole: true,
});

/** Whose keys are whose concern: entries about others' are for those who administer the organization. */
const LIST = pageStatement('activity.list', {
  columns: `
    a.id,
    CASE WHEN u.id IS NULL THEN NULL
         ELSE json_build_object('uuid', u.uuid, 'first_name', u.first_name, 'last_name', u.last_name,
                                'email', u.email) END AS "user",
    a.key_id, a.project_id, a.activity, a.scope, a.item_id, a.detail, iso8601(a.created_at) AS created_at`,
  from: FROM,
  join: USER,
  where: `${SEEN}
    AND (a.scope <> 'PersonalAPIKey' OR a.user_id = $2 OR ${ADMINISTERS})
    AND ($3::text IS NULL OR a.scope = $3) AND ($4::text IS NULL OR a.item_id = $4)
    AND ($5::uuid IS NULL OR a.user_id = (SELECT id FROM users WHERE uuid = $5))
    AND ($6::timestamptz IS NULL OR a.created_at > $6) AND ($7::timestamptz IS NULL OR a.created_at < $7)`,
  order: ORDER,
  prepared: false,
});

@Injectable()
export class ActivityQueries {
  constructor(private readonly transaction: Transaction) {}

  /** What was done to the things of one kind in an organization, of what the user sees; newest first. */
  async listOfKind(
    organizationId: string,
    userId: number,
    { scope, type }: { readonly scope: string; readonly type: string },
    { page, limit }: NumberedWindow,
  ): Promise<NumberedPage> {
    const window = { limit, offset: (page - 1) * limit };
    const values = [organizationId, userId, scope, type];
    const { count, results } = await this.transaction.page(LIST_OF_KIND, values, window);
    return new NumberedPage(count, results, { page, limit });
  }

  /** What was done in an organization, of what the user sees; newest first. */
  list(
    organizationId: string,
    userId: number,
    { scope, itemId, user, after, before }: ActivityFilter,
    window: PageWindow,
  ): Promise<Page> {
    return this.transaction.page(LIST, [organizationId, userId, scope, itemId, user, after, before], window);
  }
}
