import { type Snapshot, type Subject, snapshotOf } from '../activity/index';
import type { Representation } from '../shared/domain/representation';
import type { ExportPlace } from './domain/batch-export';

/** What is told of a batch export itself, which is without its secrets; its runs have entries of their own. */
export function exportActivity(place: ExportPlace, shown: Representation): readonly [Subject, Snapshot] {
  const fields = snapshotOf(shown, 'latest_runs');
  const subject = { ...place, scope: 'BatchExport', itemId: String(fields.id) };
  return [{ ...subject, name: String(fields.name) }, fields];
}

/** A run or backfill; it has no name but that of its export. */
export const executionSubject = (
  { organizationId, projectId, label }: ExportPlace & { readonly label: string },
  scope: 'BatchExportRun' | 'BatchExportBackfill',
  itemId: string,
): Subject => ({ organizationId, projectId, scope, itemId, name: label });
