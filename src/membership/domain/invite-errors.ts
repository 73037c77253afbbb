import { Forbidden, Invalid } from '../../shared/domain/domain-error';
import type { InviteEnding } from './invite-ending';

/** INV-09 */
export class InvitesSomebodyHigher extends Forbidden {
  constructor() {
    super('You cannot invite a user with a higher permission level than your own.');
  }
}

/** INV-07 */
export class InvitesMember extends Invalid {
  constructor() {
    super(null, 'invalid_input', 'A user with this email address already belongs to the organization.');
  }
}

/** INV-13 */
export class InvitesToUnknownProject extends Invalid {
  constructor() {
    super(
      'private_project_access',
      'invalid_input',
      'Project does not exist on this organization, or it is private and you do not have access to it.',
    );
  }
}

/** Two invites of one request have the same address, of which the second would undo the first (INV-08). */
export class InvitesTwice extends Invalid {
  constructor() {
    super('target_email', 'invalid_input', 'This email address is in the request more than once.');
  }
}

/** SIGN-03; the same for an invite that is no more, of which it is known what became, as for one that never was. */
export class InviteUnknown extends Invalid {
  constructor(readonly ending: InviteEnding | null = null) {
    super(null, 'invalid_input', 'The provided invite ID is not valid.');
  }
}

/** SIGN-04 */
export class InviteOfSomebodyElse extends Invalid {
  constructor() {
    super(null, 'invalid_recipient', 'This invite is intended for another email address.');
  }
}

/** SIGN-05 */
export class InviteExpired extends Invalid {
  constructor() {
    super(null, 'expired', 'This invite has expired. Please ask your admin for a new one.');
  }
}

/** SIGN-15 */
export class SsoEnforced extends Invalid {
  constructor() {
    super(
      null,
      'sso_enforced',
      'Signing up by a link is disabled, because SSO login is enforced for the domain of this email address.',
    );
  }
}

/** SIGN-07, told to somebody of whom only the invite is known. */
export class AddressOfMember extends Invalid {
  constructor() {
    super(
      null,
      'existing_email_address',
      'Another user with this email address already belongs to this organization.',
    );
  }
}
