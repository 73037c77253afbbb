import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement, Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

const COLUMNS = `
  p.id, p.uuid, p.organization_id AS organization, p.api_token, p.name, p.timezone, p.is_demo,
  p.completed_snippet_onboarding, p.ingested_event, p.access_control, iso8601(p.created_at) AS created_at,
  iso8601(p.updated_at) AS updated_at`;

const FROM = 'projects p';

const RETRIEVE = resourceStatement('project.retrieve', {
  columns: COLUMNS,
  from: FROM,
  where: 'p.organization_id = $1 AND p.id = $2',
});

const LIST = pageStatement('project.list', {
  columns: COLUMNS,
  from: `${FROM} JOIN project_viewers v ON v.project_id = p.id AND v.user_id = $1`,
  where: 'p.organization_id = ANY($2::uuid[]) AND (cardinality($3::integer[]) = 0 OR p.id = ANY($3))',
  order: 'p.id',
});

/** The project that a token sends events to. */
export interface TokenProject {
  readonly id: number;
  readonly ingestedEvent: boolean;
}

const BY_TOKEN = new Statement<TokenProject>(
  'project.by_token',
  'SELECT id, ingested_event AS "ingestedEvent" FROM projects WHERE api_token = $1',
);

@Injectable()
export class ProjectQueries {
  constructor(private readonly transaction: Transaction) {}

  /** @throws NotFound in another organization as well. */
  retrieve(organizationId: string, id: number): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [organizationId, id]);
  }

  /** Of the projects of the organizations that the user sees, all or those that `among` names; oldest first. */
  list(
    userId: number,
    organizationIds: readonly string[],
    among: readonly number[],
    window: PageWindow,
  ): Promise<Page> {
    return this.transaction.page(LIST, [userId, organizationIds, among], window);
  }

  async byToken(token: string): Promise<TokenProject | null> {
    const [project] = await this.transaction.rows(BY_TOKEN, [token]);
    return project ?? null;
  }
}
