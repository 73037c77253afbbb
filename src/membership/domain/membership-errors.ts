import { Forbidden, Invalid } from '../../shared/domain/domain-error';

/** MEM-07 */
export class OnlyAdminsEditOthers extends Forbidden {
  constructor() {
    super('You can only edit others if you are an admin.');
  }
}

/** MEM-11 */
export class EditsSomebodyHigher extends Forbidden {
  constructor() {
    super('You can only edit others with level lower or equal to you.');
  }
}

/** MEM-08 */
export class ChangesOwnLevel extends Forbidden {
  constructor() {
    super("You can't change your own access level.");
  }
}

/** MEM-09 */
export class OnlyOwnersMakeOwners extends Forbidden {
  constructor() {
    super("You can only make another member owner if you're this organization's owner.");
  }
}

/** MEM-18 */
export class OwnerCannotLeave extends Invalid {
  constructor() {
    super(null, 'invalid_input', 'Cannot leave the organization as its owner!');
  }
}

/** SIGN-07 */
export class AlreadyMember extends Invalid {
  constructor() {
    super(null, 'user_already_member', 'You already are a member of this organization.');
  }
}

/** D19 */
export class LastOwner extends Invalid {
  constructor(email: string, organizations: readonly string[]) {
    super(
      null,
      'last_owner',
      `${email} is the only active owner of ${organizations.map((name) => JSON.stringify(name)).join(', ')}: ` +
        'nobody could administer it any more. Make another member owner first, or force it.',
    );
  }
}
