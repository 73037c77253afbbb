import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement } from '../../shared/persistence/statement';
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
  from: FROM,
  where: 'p.organization_id = ANY($1::uuid[]) AND (cardinality($2::integer[]) = 0 OR p.id = ANY($2))',
  order: 'p.id',
});

@Injectable()
export class ProjectQueries {
  constructor(private readonly transaction: Transaction) {}

  /** @throws NotFound in another organization as well. */
  retrieve(organizationId: string, id: number): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [organizationId, id]);
  }

  /** The projects of the organizations, or of those the ones that `among` names, if any; oldest first. */
  list(organizationIds: readonly string[], among: readonly number[], window: PageWindow): Promise<Page> {
    return this.transaction.page(LIST, [organizationIds, among], window);
  }
}
