import { Forbidden, Invalid } from '../../shared/domain/domain-error';
import { grants, knownScopes } from './scope';

/** What a key may do and where; empty lists do not restrict. */
export interface KeyGrant {
  readonly label: string;
  readonly scopes: readonly string[];
  readonly scopedOrganizations: readonly string[];
  readonly scopedTeams: readonly number[];
  readonly expiresAt: Date | null;
}

export class OrganizationIdMalformed extends Invalid {
  constructor() {
    super('scoped_organizations', 'invalid_input', 'Invalid organization UUID');
  }
}

export class NotInAllOrganizations extends Invalid {
  constructor() {
    super(
      'scoped_organizations',
      'invalid_input',
      'You must be a member of all organizations that you are scoping the key to.',
    );
  }
}

export class NotInAllTeams extends Invalid {
  constructor() {
    super(
      'scoped_teams',
      'invalid_input',
      'You must be a member of all teams that you are scoping the key to.',
    );
  }
}

export class ExpiryInThePast extends Invalid {
  constructor() {
    super('expires_at', 'invalid_input', 'Ensure this time is in the future.');
  }
}

export class ScopeBeyondKey extends Forbidden {
  constructor(scope: string) {
    super(`API key cannot grant scope '${scope}', which it does not have itself.`);
  }
}

export class OrganizationsBeyondKey extends Forbidden {
  constructor() {
    super('API key cannot grant more organizations than the scoped_organizations it has itself.');
  }
}

export class TeamsBeyondKey extends Forbidden {
  constructor() {
    super('API key cannot grant more projects than the scoped_teams it has itself.');
  }
}

export class ExpiryBeyondKey extends Forbidden {
  constructor(expiresAt: Date) {
    super(`API key cannot grant access for longer than it has itself, until ${expiresAt.toISOString()}.`);
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * What a caller asks for in the form in which it is kept: ids in lower case, nothing twice.
 * @throws ScopesMissing, ScopeUnknown, OrganizationIdMalformed
 */
export function tidied<G extends Partial<KeyGrant>>(asked: G): G {
  const { scopes, scopedOrganizations, scopedTeams } = asked;
  const organizations = scopedOrganizations?.map((id) => id.toLowerCase());
  const tidy = {
    ...asked,
    ...(scopes && { scopes: knownScopes(scopes) }),
    ...(organizations && { scopedOrganizations: [...new Set(organizations)] }),
    ...(scopedTeams && { scopedTeams: [...new Set(scopedTeams)] }),
  };
  if (organizations?.some((id) => !UUID.test(id))) throw new OrganizationIdMalformed();
  return tidy;
}

/** The grant with what was asked for in its place; absent fields stay as they are. */
export function changed(grant: KeyGrant, asked: Partial<KeyGrant>): KeyGrant {
  return {
    label: asked.label ?? grant.label,
    scopes: asked.scopes ?? grant.scopes,
    scopedOrganizations: asked.scopedOrganizations ?? grant.scopedOrganizations,
    scopedTeams: asked.scopedTeams ?? grant.scopedTeams,
    expiresAt: asked.expiresAt === undefined ? grant.expiresAt : asked.expiresAt,
  };
}

/** A key gives nothing that it does not have. @throws Forbidden that tells what `grant` has beyond `by`. */
export function refuseBeyond(by: KeyGrant, grant: KeyGrant): void {
  const scope = grant.scopes.find((asked) => !grants(by.scopes, asked));
  if (scope !== undefined) throw new ScopeBeyondKey(scope);
  if (!within(by.scopedOrganizations, grant.scopedOrganizations)) throw new OrganizationsBeyondKey();
  if (!within(by.scopedTeams, grant.scopedTeams)) throw new TeamsBeyondKey();
  if (by.expiresAt !== null && (grant.expiresAt === null || grant.expiresAt > by.expiresAt)) {
    throw new ExpiryBeyondKey(by.expiresAt);
  }
}

/** An empty list does not restrict, and so is within no other list than an empty one. */
function within<T>(bounds: readonly T[], list: readonly T[]): boolean {
  return bounds.length === 0 || (list.length > 0 && list.every((item) => bounds.includes(item)));
}
