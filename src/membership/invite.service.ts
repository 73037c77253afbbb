import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ActivityLog, snapshotOf } from '../activity/index';
import { Settings } from '../config/settings';
import { hashOfSecret, randomBase62 } from '../identity/index';
import { Clock } from '../shared/domain/clock';
import { Invalid, NotFound } from '../shared/domain/domain-error';
import { type Page, type PageWindow, Representation } from '../shared/domain/representation';
import { Mails } from '../shared/mail/mails';
import { Transaction } from '../shared/persistence/transaction';
import { InvitesMember, InvitesToUnknownProject, InvitesTwice } from './domain/invite-errors';
import { type Invitation, OrganizationInvite } from './domain/organization-invite';
import type { OrganizationMembership } from './domain/organization-membership';
import { invitationMail } from './mails/invitation.mail';
import { inviteSubject, invitesEnded } from './membership-activity';
import { InvitationAllowance } from './persistence/invitation-allowance';
import { InviteQueries } from './persistence/invite.queries';
import { OrganizationInviteRepository } from './persistence/organization-invite.repository';
import { OrganizationMembershipRepository } from './persistence/organization-membership.repository';

const SECRET_BYTES = 32;

/** An invite as answers show it, and where it is accepted. */
export interface Invited {
  readonly answer: Representation;
  /** Below the public URL, with the secret, which is stored nowhere; null when it was mailed (D23). */
  readonly link: string | null;
}

@Injectable()
export class InviteService {
  constructor(
    private readonly settings: Settings,
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly activity: ActivityLog,
    private readonly mails: Mails,
    private readonly memberships: OrganizationMembershipRepository,
    private readonly invites: OrganizationInviteRepository,
    private readonly allowance: InvitationAllowance,
    private readonly queries: InviteQueries,
  ) {}

  /** As the user sees them: without promises in private projects that are hidden from them. */
  list(organizationId: string, userId: number, window: PageWindow): Promise<Page> {
    return this.queries.list(organizationId, userId, this.clock.now(), window);
  }

  /**
   * The link is mailed to the address where mails go out, unless that is not wanted (INV-04), or the address or the
   * organization has had its share of mails: then it is answered, to be handed over, as where no mails go out.
   * @throws InvitesSomebodyHigher, InvitesMember, InvitesToUnknownProject
   */
  create(organizationId: string, inviterId: number, invitation: Invitation): Promise<Invited> {
    return this.transaction.run(async () => {
      const inviter = await this.inviterInTurn(organizationId, inviterId);
      return this.invite(inviter, invitation);
    });
  }

  /**
   * All or nothing (INV-21). The errors are those of `create`, with the place in the list before the field
   * (`3__target_email`, D8), and InvitesTwice.
   */
  createAll(
    organizationId: string,
    inviterId: number,
    invitations: readonly Invitation[],
  ): Promise<Invited[]> {
    return this.transaction.run(async () => {
      const inviter = await this.inviterInTurn(organizationId, inviterId);
      const addresses = new Set<string>();
      const invited: Invited[] = [];
      for (const [index, invitation] of invitations.entries()) {
        try {
          const address = invitation.targetEmail.toLowerCase();
          if (addresses.has(address)) throw new InvitesTwice();
          addresses.add(address);
          invited.push(await this.invite(inviter, invitation));
        } catch (error) {
          throw error instanceof Invalid ? inItem(index, error) : error;
        }
      }
      return invited;
    });
  }

  /** For every member (INV-18). @throws NotFound */
  delete(organizationId: string, id: string): Promise<void> {
    return this.transaction.run(async () => {
      const ended = await this.invites.withdraw(organizationId, id, this.clock.now());
      await this.activity.record(...invitesEnded(organizationId, ended, 'withdrawn'));
    });
  }

  private async inviterInTurn(organizationId: string, userId: number): Promise<OrganizationMembership> {
    await this.memberships.takeTurn(organizationId);
    return this.memberships.getOf(organizationId, userId);
  }

  private async invite(inviter: OrganizationMembership, invitation: Invitation): Promise<Invited> {
    const { organizationId } = inviter;
    const now = this.clock.now();
    const secret = randomBase62(SECRET_BYTES);
    const invite = OrganizationInvite.issue(uuidv7(), hashOfSecret(secret), invitation, inviter, now);
    if (await this.memberships.addressBelongs(organizationId, invite.targetEmail)) throw new InvitesMember();
    const earlier = invitation.combinePending
      ? await this.invites.findTo(organizationId, invite.targetEmail)
      : null;
    const asked = [...invite.projectIds, ...(earlier?.projectIds ?? [])];
    const promisable = await this.queries.promisable(organizationId, inviter.userId, asked);
    if (invite.projectIds.some((id) => !promisable.has(id))) throw new InvitesToUnknownProject();
    if (earlier) invite.absorb(earlier, inviter, promisable);
    const replaced = await this.invites.endTo(organizationId, invite.targetEmail, 'replaced', now);
    await this.activity.record(...invitesEnded(organizationId, replaced, 'replaced'));
    const isToBeMailed = this.mails.enabled && invitation.sendEmail !== false;
    if (isToBeMailed && (await this.allowance.take(organizationId, invite.targetEmail, now))) invite.mail();
    await this.invites.save(invite);
    const link = `/signup/${secret}/`;
    if (invite.isMailed) await this.sendLink(invite, link);
    const answer = await this.queries.retrieve(organizationId, inviter.userId, invite.id, now);
    // Of projects each may be told who sees them; of an entry all are told the same.
    await this.activity.created(
      inviteSubject(organizationId, { id: invite.id, email: invite.targetEmail }),
      snapshotOf(answer, 'private_project_access', 'is_expired'),
    );
    return { answer, link: invite.isMailed ? null : link };
  }

  private async sendLink(invite: OrganizationInvite, link: string): Promise<void> {
    const { organization, inviter } = await this.queries.parties(invite.organizationId, invite.createdById);
    if (!inviter) throw new NotFound();
    const url = `${this.settings.publicUrl ?? ''}${link}`;
    await this.mails.send(`invite ${invite.id}`, invitationMail(invite, organization, inviter, url));
  }
}

function inItem(index: number, { attr, code, message }: Invalid): Invalid {
  return new Invalid(attr === null ? String(index) : `${index}__${attr}`, code, message);
}
