import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { BatchExport } from '../domain/batch-export';
import type { ExportScope } from '../domain/export-scope';
import { seenBy } from './in-scope';

/**
 * A project in the scope, which the caller sees. Its deletion, and its organization's, wait until the transaction ends; the organization
 * is locked first, as its deletion does.
 */
const PROJECT = new Statement<{ id: number }>(
  'batch_export.project',
  `SELECT p.id FROM organizations o
    CROSS JOIN LATERAL (SELECT coalesce(
      (SELECT v.project_id FROM project_viewers v
        WHERE v.organization_id = o.id AND v.user_id = $4 AND v.project_id = coalesce($2::integer, $3::integer)),
      (SELECT v.project_id FROM project_viewers v
        WHERE v.organization_id = o.id AND v.user_id = $4 AND $2::integer IS NULL
        ORDER BY v.project_id LIMIT 1)) AS id) chosen
     JOIN projects p ON p.id = chosen.id
    WHERE o.id = $1 FOR KEY SHARE OF o, p`,
);

@Injectable()
export class BatchExportRepository {
  constructor(private readonly transaction: Transaction) {}

  /** The project of the scope: of an organization `preferred` if it is there, else the oldest seen (D16). */
  async findProject(scope: ExportScope, preferred: number | null): Promise<number | null> {
    const { organizationId, projectId, userId } = scope;
    const [row] = await this.transaction.rows(PROJECT, [organizationId, projectId, preferred, userId]);
    return row?.id ?? null;
  }

  /**
   * Locks the export until the transaction ends, in the mode that lets a worker add runs and log entries to it
   * meanwhile.
   * @throws NotFound for a deleted one, and for one outside of the scope, as well
   */
  async get(scope: ExportScope, id: string): Promise<BatchExport> {
    const { organizationId, projectId, userId } = scope;
    const batchExport = await this.transaction.manager
      .createQueryBuilder(BatchExport, 'e')
      .where('e.id = :id AND e.organizationId = :organizationId AND NOT e.deleted', { id, organizationId })
      .andWhere('(:projectId::integer IS NULL OR e.projectId = :projectId)', { projectId })
      .andWhere(seenBy(':userId'), { userId })
      .setLock('for_no_key_update')
      .getOne();
    if (!batchExport) throw new NotFound();
    return batchExport;
  }

  /** That of a run, for a worker; null when it is deleted. */
  findOf({ batchExportId }: { readonly batchExportId: string }): Promise<BatchExport | null> {
    return this.transaction.manager.findOneBy(BatchExport, { id: batchExportId, deleted: false } as object);
  }

  /** As `findOf`, locked as `get` does. */
  lockOf({ batchExportId }: { readonly batchExportId: string }): Promise<BatchExport | null> {
    return this.transaction.manager.findOne(BatchExport, {
      where: { id: batchExportId, deleted: false } as object,
      lock: { mode: 'for_no_key_update' },
    });
  }

  async save(batchExport: BatchExport): Promise<void> {
    await this.transaction.manager.save(BatchExport, batchExport);
  }
}
