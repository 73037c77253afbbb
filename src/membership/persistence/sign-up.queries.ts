import { Injectable } from '@nestjs/common';
import { Representation } from '../../shared/domain/representation';
import { resourceStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

const JOINED = resourceStatement('sign_up.joined', {
  columns: `u.embedded AS "user", json_build_object('id', o.id, 'name', o.name) AS organization`,
  from: `organization_memberships m JOIN users u ON u.id = m.user_id
                                    JOIN organizations o ON o.id = m.organization_id`,
  where: 'm.organization_id = $1 AND m.user_id = $2',
});

@Injectable()
export class SignUpQueries {
  constructor(private readonly transaction: Transaction) {}

  /** Who has joined, and where; with the key that they got, as `IdentityService` reveals it, if any. */
  async joined(organizationId: string, userId: number, key: Representation | null): Promise<Representation> {
    const { json } = await this.transaction.resource(JOINED, [organizationId, userId]);
    const joined = JSON.parse(json) as object;
    return new Representation(
      JSON.stringify({ ...joined, personal_api_key: key && (JSON.parse(key.json) as unknown) }),
    );
  }
}
