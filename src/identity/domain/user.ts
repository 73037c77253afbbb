import { Invalid, NotFound } from '../../shared/domain/domain-error';

/** The address is another user's, whatever its case (D23, SIGN-06). */
export class AccountExists extends Invalid {
  constructor() {
    super(
      null,
      'account_exists',
      'There is an account with this email address. Send one of its personal API keys to go on with it.',
    );
  }
}

export class NobodyHasAddress extends NotFound {
  constructor(email: string) {
    super(`No user has the address ${email}.`);
  }
}

export class UserInactive extends Invalid {
  constructor(email: string) {
    super(
      null,
      'user_inactive',
      `${email} is deactivated, so that no key of theirs works. Activate them first.`,
    );
  }
}

/** Who a new user is. */
export interface NewUser {
  readonly uuid: string;
  readonly distinctId: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** True when the address has been proven, such as by a link mailed to it; null when nobody asked (MEM-02). */
  readonly isEmailVerified: boolean | null;
}

/** A person with an account. There are no passwords: keys are the only credentials (D23). */
export class User {
  readonly id!: number;
  readonly uuid: string;
  readonly email: string;
  private readonly distinctId: string;
  private firstName: string;
  private lastName: string;
  private isEmailVerified: boolean | null;
  private readonly hedgehogConfig: Record<string, unknown> | null = null;
  private isActive = true;
  private currentOrganizationId: string | null = null;
  private currentProjectId: number | null = null;
  private readonly lastLogin: Date | null = null;

  private constructor(
    { uuid, distinctId, email, firstName, lastName, isEmailVerified }: NewUser,
    private readonly dateJoined: Date,
  ) {
    this.uuid = uuid;
    this.distinctId = distinctId;
    this.email = email;
    this.firstName = firstName;
    this.lastName = lastName;
    this.isEmailVerified = isEmailVerified;
  }

  static join(user: NewUser, at: Date): User {
    return new User(user, at);
  }

  rename(names: { firstName?: string; lastName?: string }): void {
    this.firstName = names.firstName ?? this.firstName;
    this.lastName = names.lastName ?? this.lastName;
  }

  /** First and last name, or an empty text. */
  get fullName(): string {
    return `${this.firstName} ${this.lastName}`.trim();
  }

  /** The user has shown to read the mailbox of their address. */
  proveAddress(): void {
    this.isEmailVerified = true;
  }

  /** No key of the user lets anybody in any more (D11). */
  deactivate(): void {
    this.isActive = false;
  }

  activate(): void {
    this.isActive = true;
  }

  /** @throws UserInactive */
  refuseInactive(): void {
    if (!this.isActive) throw new UserInactive(this.email);
  }

  /** Where `@current` leads (D14). */
  enter(organizationId: string | null, projectId: number | null): void {
    this.currentOrganizationId = organizationId;
    this.currentProjectId = projectId;
  }

  get currentOrganization(): string | null {
    return this.currentOrganizationId;
  }
}
