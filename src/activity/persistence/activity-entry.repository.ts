import { Injectable } from '@nestjs/common';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { ActivityEntry } from '../domain/activity-entry';

/** One statement, however many entries: every change pays for it. */
const ADD = new Statement<never>(
  'activity.add',
  `INSERT INTO activity_log (id, organization_id, project_id, user_id, key_id, scope, item_id, activity, detail,
                             created_at)
   SELECT id, organization_id, project_id, user_id, key_id, scope, item_id, activity, detail, created_at
     FROM jsonb_populate_recordset(NULL::activity_log, $1)`,
);

const REDACT = new Statement(
  'activity.redact',
  `UPDATE activity_log a
      SET detail = jsonb_set(a.detail, '{changes}', (
            SELECT jsonb_agg(CASE WHEN change->>'field' = ANY ($3) THEN change || jsonb_build_object(
                     'before', CASE change->'before' WHEN 'null' THEN 'null' ELSE to_jsonb($4::text) END,
                     'after', CASE change->'after' WHEN 'null' THEN 'null' ELSE to_jsonb($4::text) END)
                   ELSE change END ORDER BY place)
              FROM jsonb_array_elements(a.detail->'changes') WITH ORDINALITY AS of_entry (change, place)))
    WHERE a.scope = $1 AND a.item_id = $2
      AND EXISTS (SELECT FROM jsonb_array_elements(
                    CASE jsonb_typeof(a.detail->'changes') WHEN 'array' THEN a.detail->'changes' END) AS change
                   WHERE change->>'field' = ANY ($3))`,
);

const FORGET = new Statement<never>('activity.forget', 'DELETE FROM activity_log WHERE organization_id = $1');

@Injectable()
export class ActivityEntryRepository {
  constructor(private readonly transaction: Transaction) {}

  /** @throws Error outside of a transaction: an entry without its change would be a lie. */
  async add(entries: readonly ActivityEntry[]): Promise<void> {
    await this.transaction.send(ADD, [JSON.stringify(entries)]);
  }

  /** All that was done in an organization. */
  async forget(organizationId: string): Promise<void> {
    await this.transaction.write(FORGET, [organizationId]);
  }

  /** Values that there were become `mask` in the changes of these fields. */
  async redact(
    { scope, itemId }: { readonly scope: string; readonly itemId: string },
    fields: readonly string[],
    mask: string,
  ): Promise<void> {
    await this.transaction.rows(REDACT, [scope, itemId, fields, mask]);
  }
}
