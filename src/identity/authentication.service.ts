import { AsyncResource } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { Batcher } from '../shared/batching/batcher';
import { Clock } from '../shared/domain/clock';
import { CurrentRequest } from '../shared/request/current-request';
import { type AskedKey, PrincipalQueries, type PrincipalRow } from './persistence/principal.queries';
import { Principal } from './principal';

/** Why a key does not let anybody in. */
export type KeyRefusal = 'unknown' | 'expired' | 'user inactive';

/** At once, but for the first use in an hour. */
type Answer = Principal | KeyRefusal | Promise<Principal>;

/** Keys in one statement: nobody waits for more of others'. */
const MOST_AT_ONCE = 100;

/**
 * Who a key stands for. Asked before every request: nothing is cached that could let a revoked key in (D11). Requests
 * that come in the same turn of the event loop, or while others' keys are looked up, ask together, in one statement that
 * is sent after all of them came; where it fails, it fails for all of them.
 */
@Injectable()
export class AuthenticationService {
  private readonly checks = new Batcher<AskedKey, Principal | KeyRefusal>(
    MOST_AT_ONCE,
    ({ key, project }) => `${key} ${project}`,
    (asked) => this.together(asked),
  );
  /** As nobody's work: of what surrounds whoever asks, such as a transaction, the others know nothing. */
  private readonly asNobody = AsyncResource.bind(<T>(work: () => T): T => work());

  constructor(
    private readonly principals: PrincipalQueries,
    private readonly clock: Clock,
    private readonly request: CurrentRequest,
  ) {}

  /** @param project the one that is asked for, which the principal sees or not: an id, or their current one */
  principalOf(key: string, project: number | 'current' | null): Promise<Principal | KeyRefusal> {
    return this.checks.ask({ key, project });
  }

  /** For requests, which the first stands for: they are told to come again where there are too many. */
  private together(asked: readonly AskedKey[]): Promise<Answer[]> {
    const request = this.request.get();
    const answer = () => this.answersTo(asked);
    return this.asNobody(() => (request ? this.request.run(request, answer) : answer()));
  }

  private async answersTo(asked: readonly AskedKey[]): Promise<Answer[]> {
    const now = this.clock.now();
    const rows = await this.principals.byKeys(asked, now);
    // A key that is used for several projects is noted once.
    const noted = new Map<string, Promise<void>>();
    const noteUse = (keyId: string): Promise<void> => {
      const note = noted.get(keyId) ?? this.principals.noteUse(keyId, now);
      noted.set(keyId, note);
      return note;
    };
    return rows.map((row) => {
      const answer = answerOf(row);
      return row?.last_use_is_stale && answer instanceof Principal
        ? noteUse(row.key_id).then(() => answer)
        : answer;
    });
  }
}

function answerOf(row: PrincipalRow | null): Principal | KeyRefusal {
  if (!row) return 'unknown';
  if (!row.is_active) return 'user inactive';
  if (row.expired) return 'expired';
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
