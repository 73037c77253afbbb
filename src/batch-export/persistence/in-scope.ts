import { NotFound } from '../../shared/domain/domain-error';
import { Statement } from '../../shared/persistence/statement';
import type { Transaction } from '../../shared/persistence/transaction';
import type { ExportScope } from '../domain/export-scope';

/** SQL for whether the user of a parameter sees the project of the batch export `e`. */
export const seenBy = (user: string): string =>
  `EXISTS (SELECT FROM project_viewers v WHERE v.project_id = e.project_id AND v.user_id = ${user})`;

/** What `IN_SCOPE` compares with. */
export const scopeValues = ({ organizationId, projectId, userId }: ExportScope, id: string) =>
  [id, organizationId, projectId, userId] as const;

/**
 * The batch export `e` whose id is $1, within the organization $2 and, unless it is null, the project $3, in a project
 * that the user $4 sees.
 */
export const IN_SCOPE = `e.id = $1 AND e.organization_id = $2 AND ($3::integer IS NULL OR e.project_id = $3)
  AND NOT e.deleted AND ${seenBy('$4')}`;

const EXISTS = new Statement<{ exists: boolean }>(
  'batch_export.exists',
  `SELECT EXISTS (SELECT FROM batch_exports e WHERE ${IN_SCOPE}) AS exists`,
);

/** For lists of what belongs to an export, which are empty rather than missing. @throws NotFound */
export async function ensureInScope(transaction: Transaction, scope: ExportScope, id: string): Promise<void> {
  const [row] = await transaction.rows(EXISTS, scopeValues(scope, id));
  if (!row?.exists) throw new NotFound();
}
