import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/domain/clock';
import { hashOfSecret } from './domain/personal-api-key';
import { PrincipalQueries, type SeenProject } from './persistence/principal.queries';
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

  async principalOf(key: string): Promise<Principal | KeyRefusal> {
    const now = this.clock.now();
    const row = await this.principals.byKeyHash(hashOfSecret(key), now);
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
    );
  }

  /** A project of one of these organizations, unless it is private and hidden from the caller. */
  projectSeen(
    projectId: number,
    { userId }: Principal,
    among: readonly string[],
  ): Promise<SeenProject | null> {
    return this.principals.projectSeen(projectId, userId, among);
  }
}
