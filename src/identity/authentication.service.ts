import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/domain/clock';
import { hashOfSecret } from './domain/personal-api-key';
import { PrincipalQueries } from './persistence/principal.queries';
import { Principal } from './principal';

/** Why a key does not let anybody in. */
export type KeyRefusal = 'unknown' | 'expired' | 'user inactive';

/** Who a key stands for. Asked before every request: nothing is cached that could let a revoked key in (D11). */
@Injectable()
export class AuthenticationService {
  constructor(
    private readonly principals: PrincipalQueries,
    private readonly clock: Clock,
  ) {}

  /** @param project the one that is asked for, which the principal sees or not: an id, or their current one */
  async principalOf(key: string, project: number | 'current' | null): Promise<Principal | KeyRefusal> {
    const now = this.clock.now();
    const row = await this.principals.byKeyHash(hashOfSecret(key), now, project);
    if (!row) return 'unknown';
    if (!row.is_active) return 'user inactive';
    if (row.expired) return 'expired';
    if (row.last_use_is_stale) await this.principals.noteUse(row.key_id, now);
    return new Principal(
      row.user_id,
      row.uuid,
      row.email,
      row.key_id,
      row.scopes,
      row.scoped_organizations,
      row.scoped_teams,
      row.current_organization_id,
      row.current_project_id,
      row.memberships,
      row.seen_project,
    );
  }
}
