import { Injectable } from '@nestjs/common';
import { NumberedPage, type NumberedWindow } from '../../shared/domain/representation';
import { pageStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

const LIST = pageStatement('activity.list', {
  columns: `
    CASE WHEN u.id IS NULL THEN NULL
         ELSE json_build_object('first_name', u.first_name, 'email', u.email) END AS "user",
    a.activity, iso8601(a.created_at) AS created_at, a.scope, a.item_id, a.detail`,
  from: 'activity_log a LEFT JOIN users u ON u.id = a.user_id',
  where: `a.organization_id = $1 AND a.scope = $2 AND a.detail->>'type' = $3
    AND (a.project_id IS NULL OR EXISTS (SELECT FROM project_viewers v
                                          WHERE v.project_id = a.project_id AND v.user_id = $4))`,
  order: 'a.created_at DESC, a.id DESC',
  whole: true,
});

@Injectable()
export class ActivityQueries {
  constructor(private readonly transaction: Transaction) {}

  /** What was done to the things of one kind in an organization, and in its projects that the user sees; newest first. */
  async list(
    organizationId: string,
    userId: number,
    { scope, type }: { readonly scope: string; readonly type: string },
    { page, limit }: NumberedWindow,
  ): Promise<NumberedPage> {
    const window = { limit, offset: (page - 1) * limit };
    const values = [organizationId, scope, type, userId];
    const { count, results } = await this.transaction.page(LIST, values, window);
    return new NumberedPage(count, results, { page, limit });
  }
}
