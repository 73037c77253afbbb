import { Level } from '../../shared/domain/level';
import { InviteExpired, InviteOfSomebodyElse, InvitesSomebodyHigher } from './invite-errors';
import type { OrganizationMembership } from './organization-membership';
import { combined, type ProjectAccess } from './project-access';

/** How long an invite can be accepted (INV-17). */
export const INVITE_VALID_DAYS = 3;
const VALID_MILLISECONDS = INVITE_VALID_DAYS * 24 * 60 * 60 * 1000;

/** Whom to invite, and as what. */
export interface Invitation {
  readonly targetEmail: string;
  readonly firstName?: string;
  readonly level?: Level;
  readonly message?: string | null;
  readonly privateProjectAccess?: readonly ProjectAccess[];
  /** Whether a pending invite to the same address adds to this one, rather than being dropped (INV-11). */
  readonly combinePending?: boolean;
  /** Whether to mail the link to the address, where mails go out at all; unless it is false (INV-02). */
  readonly sendEmail?: boolean;
}

/** An offer to an e-mail address to join an organization, for three days, to whoever knows its secret (D23). */
export class OrganizationInvite {
  readonly targetEmail: string;
  readonly firstName: string;
  private level: Level;
  readonly message: string | null;
  private privateProjectAccess: ProjectAccess[];
  private emailingAttemptMade = false;
  /** Who invited, or null when that user exists no more. */
  readonly createdById: number | null;
  private readonly updatedAt: Date;

  private constructor(
    readonly id: string,
    readonly organizationId: string,
    private readonly secretHash: Buffer,
    invitation: Invitation,
    inviter: OrganizationMembership,
    private readonly createdAt: Date,
  ) {
    this.targetEmail = normalized(invitation.targetEmail);
    this.firstName = invitation.firstName ?? '';
    this.level = invitation.level ?? Level.Member;
    this.message = invitation.message ?? null;
    this.privateProjectAccess = combined(invitation.privateProjectAccess ?? []);
    this.createdById = inviter.userId;
    this.updatedAt = createdAt;
  }

  /** @throws InvitesSomebodyHigher for a level above the inviter's own (INV-09, D18). */
  static issue(
    id: string,
    secretHash: Buffer,
    invitation: Invitation,
    inviter: OrganizationMembership,
    at: Date,
  ): OrganizationInvite {
    const invite = new OrganizationInvite(id, inviter.organizationId, secretHash, invitation, inviter, at);
    if (!inviter.reaches(invite.level)) throw new InvitesSomebodyHigher();
    return invite;
  }

  /** An invite made before this moment has expired by `now` (INV-17). */
  static oldestValid(now: Date): Date {
    return new Date(now.getTime() - VALID_MILLISECONDS);
  }

  /** The link is mailed to the address, and told to nobody else. */
  mail(): void {
    this.emailingAttemptMade = true;
  }

  /** Whether who knows the secret has read the mailbox of the address. */
  get isMailed(): boolean {
    return this.emailingAttemptMade;
  }

  /** It can be accepted until then (INV-17). */
  get expiresAt(): Date {
    return new Date(this.createdAt.getTime() + VALID_MILLISECONDS);
  }

  /** The level that who accepts will have. */
  get grantedLevel(): Level {
    return this.level;
  }

  /** The part of the address after the @, in lower case. */
  get targetDomain(): string {
    return this.targetEmail.slice(this.targetEmail.lastIndexOf('@') + 1);
  }

  /** The projects that the invite promises something in. */
  get projectIds(): number[] {
    return this.privateProjectAccess.map(({ id }) => id);
  }

  /** What it promises in private projects, each once. */
  get promisedAccess(): readonly ProjectAccess[] {
    return this.privateProjectAccess;
  }

  /**
   * Takes over what an earlier invite to the same address offers: the higher level, and the access to projects of
   * both (INV-11), as far as the inviter may promise it. An expired one adds nothing.
   * @param promisable the ids of the projects that the inviter may promise access to
   * @throws InvitesSomebodyHigher when the earlier one offers more than the inviter may: who invites learns the
   * secret, and would else come by a level above their own.
   */
  absorb(
    earlier: OrganizationInvite,
    inviter: OrganizationMembership,
    promisable: ReadonlySet<number>,
  ): void {
    if (earlier.hasExpired(this.createdAt)) return;
    if (!inviter.reaches(earlier.level)) throw new InvitesSomebodyHigher();
    if (earlier.level > this.level) this.level = earlier.level;
    const added = earlier.privateProjectAccess.filter(({ id }) => promisable.has(id));
    this.privateProjectAccess = combined(this.privateProjectAccess, added);
  }

  /**
   * @param email of the caller, or null when it is unknown who calls
   * @throws InviteOfSomebodyElse, InviteExpired, in this order (SIGN-07)
   */
  refuseUseBy(email: string | null, now: Date): void {
    if (email !== null && email.toLowerCase() !== this.targetEmail.toLowerCase()) {
      throw new InviteOfSomebodyElse();
    }
    if (this.hasExpired(now)) throw new InviteExpired();
  }

  private hasExpired(now: Date): boolean {
    return this.createdAt < OrganizationInvite.oldestValid(now);
  }
}

/** The part after the @ has no case; the part before it belongs to the mail server that reads it (INV-05). */
function normalized(email: string): string {
  const at = email.lastIndexOf('@');
  return email.slice(0, at) + email.slice(at).toLowerCase();
}
