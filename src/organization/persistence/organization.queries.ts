import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

/** SQL for a project as an organization and its user show it (ORG-03). */
export const shortProject = (alias: string): string => `json_build_object(
  'id', ${alias}.id, 'uuid', ${alias}.uuid, 'organization', ${alias}.organization_id, 'project_id', ${alias}.id,
  'api_token', ${alias}.api_token, 'name', ${alias}.name,
  'completed_snippet_onboarding', ${alias}.completed_snippet_onboarding,
  'has_completed_onboarding_for', NULL, 'ingested_event', ${alias}.ingested_event, 'is_demo', ${alias}.is_demo,
  'timezone', ${alias}.timezone, 'access_control', ${alias}.access_control)`;

/**
 * SQL for how many active members an organization has: all, less the deactivated ones. These are few, and have an index;
 * to look at each member instead would make large organizations slow.
 */
export const activeMembersOf = (organization: string): string => `
  ((SELECT count(*) FROM organization_memberships every WHERE every.organization_id = ${organization})
   - (SELECT count(*) FROM users gone JOIN organization_memberships past ON past.user_id = gone.id
       WHERE NOT gone.is_active AND past.organization_id = ${organization}))`;

/**
 * SQL for an Organization (2.2), and what is ours, out of `organizations AS o` and the caller's
 * `organization_memberships AS m`; of its projects those that the caller sees.
 */
export const organizationColumns = `
  o.id, o.name, o.slug, o.logo_media_id, iso8601(o.created_at) AS created_at, iso8601(o.updated_at) AS updated_at,
  m.level AS membership_level, o.plugins_access_level,
  (SELECT coalesce(json_agg(${shortProject('p')} ORDER BY p.id), '[]')
     FROM projects p JOIN project_viewers v ON v.project_id = p.id AND v.user_id = m.user_id
    WHERE p.organization_id = o.id) AS teams,
  '[]'::json AS available_product_features, o.is_member_join_email_enabled, o.metadata::text AS metadata,
  o.customer_id, o.enforce_2fa,
  ${activeMembersOf('o.id')}::text AS member_count,
  o.max_key_scopes`;

const FROM = 'organizations o JOIN organization_memberships m ON m.organization_id = o.id';

const RETRIEVE = resourceStatement('organization.retrieve', {
  columns: organizationColumns,
  from: FROM,
  where: 'm.user_id = $1 AND o.id = $2',
});

const LIST = pageStatement('organization.list', {
  columns: organizationColumns,
  from: FROM,
  where: 'm.user_id = $1 AND o.id = ANY($2::uuid[])',
  order: 'o.created_at, o.id',
});

@Injectable()
export class OrganizationQueries {
  constructor(private readonly transaction: Transaction) {}

  /** @throws NotFound when the user is no member of it. */
  retrieve(userId: number, id: string): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [userId, id]);
  }

  /** Of `ids`, those that the user is a member of; oldest first. */
  list(userId: number, ids: readonly string[], window: PageWindow): Promise<Page> {
    return this.transaction.page(LIST, [userId, ids], window);
  }
}
