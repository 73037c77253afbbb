import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { ProjectPlace } from '../domain/project-member';

const COLUMNS = `
  u.embedded AS "user", given.level, greatest(m.level, given.level) AS effective_level,
  iso8601(given.created_at) AS created_at, iso8601(given.updated_at) AS updated_at`;

const MEMBER = `
  JOIN users u ON u.id = given.user_id
  JOIN organization_memberships m ON m.organization_id = given.organization_id AND m.user_id = given.user_id`;

const RETRIEVE = resourceStatement('project_member.retrieve', {
  columns: COLUMNS,
  from: `project_members given ${MEMBER}`,
  where: 'given.project_id = $1 AND given.user_id = $2',
});

const LIST = pageStatement('project_member.list', {
  columns: COLUMNS,
  from: 'project_members given',
  join: MEMBER,
  where: 'given.project_id = $1 AND EXISTS (SELECT FROM users a WHERE a.id = given.user_id AND a.is_active)',
  order: 'given.created_at DESC, given.user_id DESC',
});

@Injectable()
export class ProjectMemberQueries {
  constructor(private readonly transaction: Transaction) {}

  /** @throws NotFound */
  retrieve({ projectId }: ProjectPlace, userId: number): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [projectId, userId]);
  }

  /** Who was given access last comes first. */
  list({ projectId }: ProjectPlace, window: PageWindow): Promise<Page> {
    return this.transaction.page(LIST, [projectId], window);
  }
}
