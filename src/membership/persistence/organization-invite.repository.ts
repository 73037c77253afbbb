import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { NotFound } from '../../shared/domain/domain-error';
import type { Level } from '../../shared/domain/level';
import { Transaction } from '../../shared/persistence/transaction';
import { OrganizationInvite } from '../domain/organization-invite';

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

  /** Removes every invite of the organization to an address, whatever its case. */
  async removeTo(organizationId: string, email: string): Promise<void> {
    await this.transaction.manager
      .createQueryBuilder()
      .delete()
      .from(OrganizationInvite)
      .where('organization_id = :organizationId AND lower(target_email) = lower(:email)', {
        organizationId,
        email,
      })
      .execute();
  }

  /** Removes a member's invites to levels above `level`, or all of them: who made them knows their secrets. */
  async withdraw(organizationId: string, inviterId: number, level: Level | null): Promise<void> {
    await this.transaction.manager.delete(OrganizationInvite, {
      organizationId,
      createdById: inviterId,
      ...(level === null ? {} : { level: MoreThan(level) }),
    } as object);
  }

  /** @throws NotFound */
  async remove(organizationId: string, id: string): Promise<void> {
    const { affected } = await this.transaction.manager.delete(OrganizationInvite, { id, organizationId });
    if (!affected) throw new NotFound();
  }
}
