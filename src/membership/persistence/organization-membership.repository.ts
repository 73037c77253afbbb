import { Injectable } from '@nestjs/common';
import { User } from '../../identity/index';
import { NotFound } from '../../shared/domain/domain-error';
import { Level } from '../../shared/domain/level';
import { violates } from '../../shared/persistence/database-errors';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { AlreadyMember } from '../domain/membership-errors';
import { OrganizationMembership } from '../domain/organization-membership';

const LOCK = new Statement(
  'membership.lock_organization',
  'SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
);

const ADDRESS_BELONGS = new Statement<{ belongs: boolean }>(
  'membership.address_belongs',
  `SELECT EXISTS (SELECT FROM organization_memberships m JOIN users u ON u.id = m.user_id
                   WHERE m.organization_id = $1 AND lower(u.email) = lower($2)) AS belongs`,
);

const ORGANIZATIONS_OF = new Statement<{ id: string }>(
  'membership.organizations_of',
  'SELECT organization_id AS id FROM organization_memberships WHERE user_id = $1 ORDER BY organization_id',
);

const OWNED_ALONE = new Statement<{ name: string }>(
  'membership.owned_alone',
  `SELECT o.name FROM organization_memberships m JOIN organizations o ON o.id = m.organization_id
    WHERE m.user_id = $1 AND m.level = ${Level.Owner} AND NOT EXISTS (
          SELECT FROM organization_memberships other JOIN users u ON u.id = other.user_id
           WHERE other.organization_id = m.organization_id AND other.user_id <> $1
             AND other.level = ${Level.Owner} AND u.is_active)
    ORDER BY o.name, o.id`,
);

@Injectable()
export class OrganizationMembershipRepository {
  constructor(private readonly transaction: Transaction) {}

  /**
   * Changes of who belongs to the organization, at what level and by which invites, come one after another: this
   * waits for its turn, which lasts until the transaction ends. What was read before must be read again.
   */
  async takeTurn(organizationId: string): Promise<void> {
    await this.transaction.rows(LOCK, [organizationId]);
  }

  /** @throws NotFound also for a deactivated user: lists do not show them (MEM-01). */
  async get(organizationId: string, userUuid: string): Promise<OrganizationMembership> {
    const membership = await this.transaction.manager
      .createQueryBuilder(OrganizationMembership, 'membership')
      .innerJoin(User, 'person', 'person.id = membership.userId AND person.isActive')
      .where('membership.organizationId = :organizationId', { organizationId })
      .andWhere('person.uuid = :userUuid', { userUuid })
      .getOne();
    if (!membership) throw new NotFound();
    return membership;
  }

  /** The membership of a caller. @throws NotFound when it has ended, or the user was deactivated, since the request came in. */
  async getOf(organizationId: string, userId: number): Promise<OrganizationMembership> {
    const membership = await this.transaction.manager
      .createQueryBuilder(OrganizationMembership, 'membership')
      .innerJoin(User, 'person', 'person.id = membership.userId AND person.isActive')
      .where('membership.organizationId = :organizationId', { organizationId })
      .andWhere('membership.userId = :userId', { userId })
      .getOne();
    if (!membership) throw new NotFound();
    return membership;
  }

  /** The organizations that a user is a member of, by id. */
  async organizationsOf(userId: number): Promise<string[]> {
    return (await this.transaction.rows(ORGANIZATIONS_OF, [userId])).map(({ id }) => id);
  }

  /** The names of the organizations whose only active owner the user is. */
  async ownedAlone(userId: number): Promise<string[]> {
    return (await this.transaction.rows(OWNED_ALONE, [userId])).map(({ name }) => name);
  }

  /** Whether the address, in whatever case, is a member's; a deactivated one counts. */
  async addressBelongs(organizationId: string, email: string): Promise<boolean> {
    const [row] = await this.transaction.rows(ADDRESS_BELONGS, [organizationId, email]);
    return row?.belongs === true;
  }

  /** @throws AlreadyMember */
  async save(membership: OrganizationMembership): Promise<void> {
    try {
      await this.transaction.manager.save(OrganizationMembership, membership);
    } catch (error) {
      if (violates(error, 'organization_memberships_unique')) throw new AlreadyMember();
      throw error;
    }
  }

  async remove(membership: OrganizationMembership): Promise<void> {
    await this.transaction.manager.delete(OrganizationMembership, { id: membership.id });
  }
}
