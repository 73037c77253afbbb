import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import type { Level } from '../../shared/domain/level';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { EndedInvite, InviteEnding } from '../domain/invite-ending';
import { OrganizationInvite } from '../domain/organization-invite';

const REMEMBERED_DAYS = 90;

/** Deletes invites of an organization ($1), and keeps what became of them ($2) at that moment ($3). */
const ending = (name: string, condition: string) =>
  new Statement<EndedInvite>(
    `organization_invite.${name}`,
    `WITH ended AS (DELETE FROM organization_invites WHERE organization_id = $1 AND ${condition}
                    RETURNING id, target_email, organization_id, secret_hash),
          kept AS (INSERT INTO ended_invites (secret_hash, organization_id, ending, ended_at)
                   SELECT secret_hash, organization_id, $2, $3 FROM ended)
     SELECT id, target_email AS email FROM ended`,
  );

const END = ending('end', 'id = $4');
const END_TO = ending('end_to', 'lower(target_email) = lower($4)');
const END_ABOVE = ending('end_above', 'created_by_id = $4 AND level > $5');

/** Some of what is over is deleted each time, so that it never adds up. */
const FORGET = new Statement(
  'organization_invite.forget',
  `DELETE FROM ended_invites WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM ended_invites WHERE ended_at < $1::timestamptz - interval '${REMEMBERED_DAYS} days'
      ORDER BY ended_at LIMIT 20 FOR UPDATE SKIP LOCKED))`,
);

const ENDING = new Statement<{ ending: InviteEnding }>(
  'organization_invite.ending',
  'SELECT ending FROM ended_invites WHERE secret_hash = $1',
);

@Injectable()
export class OrganizationInviteRepository {
  constructor(private readonly transaction: Transaction) {}

  /** The invite to an address, whatever its case; there is one at most (INV-08). */
  findTo(organizationId: string, email: string): Promise<OrganizationInvite | null> {
    return this.transaction.manager
      .createQueryBuilder(OrganizationInvite, 'invite')
      .where('invite.organizationId = :organizationId', { organizationId })
      .andWhere('lower(invite.targetEmail) = lower(:email)', { email })
      .getOne();
  }

  /** Of any organization: who knows the secret needs no other word to be let in (D23). */
  findBySecret(secretHash: Buffer): Promise<OrganizationInvite | null> {
    return this.transaction.manager
      .createQueryBuilder(OrganizationInvite, 'invite')
      .where('invite.secretHash = :secretHash', { secretHash })
      .getOne();
  }

  async save(invite: OrganizationInvite): Promise<void> {
    await this.transaction.manager.save(OrganizationInvite, invite);
  }

  /** What became of the invite that had this secret; null when there never was one, or too long ago. */
  async endingOf(secretHash: Buffer): Promise<InviteEnding | null> {
    const [row] = await this.transaction.rows(ENDING, [secretHash]);
    return row?.ending ?? null;
  }

  /** Ends every invite of the organization to an address, whatever its case. */
  endTo(organizationId: string, email: string, as: InviteEnding, at: Date): Promise<EndedInvite[]> {
    return this.end(END_TO, [organizationId, as, at, email]);
  }

  /** Withdraws a member's invites to levels above `level`: who made them may know their secrets. */
  withdrawAbove(
    organizationId: string,
    inviterId: number,
    level: Level | 0,
    at: Date,
  ): Promise<EndedInvite[]> {
    return this.end(END_ABOVE, [organizationId, 'withdrawn', at, inviterId, level]);
  }

  /** @throws NotFound */
  async withdraw(organizationId: string, id: string, at: Date): Promise<EndedInvite[]> {
    const ended = await this.end(END, [organizationId, 'withdrawn', at, id]);
    if (ended.length === 0) throw new NotFound();
    return ended;
  }

  private async end(
    statement: typeof END,
    values: readonly [organizationId: string, as: InviteEnding, at: Date, ...which: unknown[]],
  ): Promise<EndedInvite[]> {
    await this.transaction.rows(FORGET, [values[2]]);
    return this.transaction.rows(statement, values);
  }
}
