import { Injectable } from '@nestjs/common';
import { currentOf } from '../../identity/index';
import { organizationColumns, shortProject } from '../../organization/index';
import type { Representation } from '../../shared/domain/representation';
import { resourceStatement, Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

const RETRIEVE = resourceStatement('account.retrieve', {
  columns: `
    u.id, u.uuid, u.distinct_id, u.first_name, u.last_name, u.email, u.is_email_verified, u.hedgehog_config,
    iso8601(u.date_joined) AS date_joined, iso8601(u.last_login) AS last_login, false AS is_2fa_enabled,
    false AS has_social_auth, false AS has_password, false AS is_staff,
    (SELECT ${shortProject('p')} FROM projects p WHERE p.id = current_project.id) AS team,
    (SELECT row_to_json(one) FROM (
       SELECT ${organizationColumns} FROM organizations o JOIN organization_memberships m ON m.organization_id = o.id
        WHERE m.user_id = u.id AND o.id = current_organization.id) AS one) AS organization,
    (SELECT coalesce(json_agg(json_build_object('id', o.id, 'name', o.name, 'slug', o.slug,
                                                'logo_media_id', o.logo_media_id, 'membership_level', m.level)
                              ORDER BY m.joined_at, m.id), '[]')
       FROM organization_memberships m JOIN organizations o ON o.id = m.organization_id
      WHERE m.user_id = u.id) AS organizations`,
  from: `users u ${currentOf}`,
  where: 'u.id = $1',
});

/** Keeps the organization from being deleted until the transaction ends. */
const HOLD_ORGANIZATION = new Statement<{ id: string }>(
  'account.hold_organization',
  `SELECT o.id FROM organizations o JOIN organization_memberships m ON m.organization_id = o.id
    WHERE m.user_id = $1 AND o.id = $2 FOR KEY SHARE OF o`,
);

/** The same for a project that the user sees; its organization first, in the order in which a deletion locks them. */
const HOLD_PROJECT = new Statement<{ organization_id: string }>(
  'account.hold_project',
  `WITH home AS MATERIALIZED (
     SELECT o.id FROM projects p JOIN organizations o ON o.id = p.organization_id
      WHERE p.id = $2 AND EXISTS (SELECT FROM project_viewers v WHERE v.project_id = p.id AND v.user_id = $1)
        FOR KEY SHARE OF o)
   SELECT p.organization_id FROM projects p JOIN home ON home.id = p.organization_id
    WHERE p.id = $2 FOR KEY SHARE OF p`,
);

@Injectable()
export class AccountQueries {
  constructor(private readonly transaction: Transaction) {}

  /** @throws NotFound */
  retrieve(userId: number): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [userId]);
  }

  /** Whether the user is a member of the organization, which then stays until the transaction ends. */
  async holdOrganization(userId: number, id: string): Promise<boolean> {
    return (await this.transaction.rows(HOLD_ORGANIZATION, [userId, id])).length > 0;
  }

  /** The organization of a project that the user sees, both of which then stay until the transaction ends. */
  async holdProject(userId: number, id: number): Promise<string | null> {
    const [row] = await this.transaction.rows(HOLD_PROJECT, [userId, id]);
    return row?.organization_id ?? null;
  }
}
