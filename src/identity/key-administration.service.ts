import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Clock } from '../shared/domain/clock';
import { Invalid, NotFound } from '../shared/domain/domain-error';
import { textCheck } from '../shared/http/fields/index';
import { Transaction } from '../shared/persistence/transaction';
import { tidied } from './domain/key-grant';
import { PersonalApiKey } from './domain/personal-api-key';
import { NobodyHasAddress, type User } from './domain/user';
import { KeyActivity } from './key-activity';
import { KeyNotices } from './key-notices';
import { refuseStrange } from './key-reach';
import { KeyAdministrationQueries, type KeyListing } from './persistence/key-administration.queries';
import { PersonalApiKeyQueries } from './persistence/personal-api-key.queries';
import { PersonalApiKeyRepository } from './persistence/personal-api-key.repository';
import { UserRepository } from './persistence/user.repository';
import type { NewKey } from './personal-api-key.service';

const LONGEST_LABEL = 40;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Which keys are listed; null: whosever, wherever they reach. */
export interface KeyFilter {
  /** The owner's address. */
  readonly email: string | null;
  readonly organizationId: string | null;
}

/** Everybody's keys, for the operator, who needs no key for it: also the way back in when the last one is lost. */
@Injectable()
export class KeyAdministration {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly users: UserRepository,
    private readonly keys: PersonalApiKeyRepository,
    private readonly keyQueries: PersonalApiKeyQueries,
    private readonly queries: KeyAdministrationQueries,
    private readonly activity: KeyActivity,
    private readonly notices: KeyNotices,
  ) {}

  /**
   * A key for a user, with its value, this once (D11); a mail tells them of it.
   * @throws NobodyHasAddress, UserInactive, Invalid (KEY-04, KEY-05, KEY-07, KEY-08)
   */
  create(email: string, asked: NewKey): Promise<KeyListing & { readonly value: string }> {
    return this.transaction.run(async () => {
      // Locked, so that a user's keys change one after another.
      const owner = await this.users.get((await this.owner(email)).id);
      owner.refuseInactive();
      const label = asked.label.trim();
      const wrong = textCheck({ max: LONGEST_LABEL })(label);
      if (wrong) throw new Invalid('label', wrong.code, wrong.detail);
      const grant = tidied({
        label,
        scopes: asked.scopes,
        scopedOrganizations: asked.scopedOrganizations ?? [],
        scopedTeams: asked.scopedTeams ?? [],
        expiresAt: asked.expiresAt ?? null,
      });
      await refuseStrange(this.keyQueries, owner.id, grant.scopedOrganizations, grant.scopedTeams);
      const identity = { id: uuidv7(), userId: owner.id, value: PersonalApiKey.newValue() };
      const now = this.clock.now();
      const siblings = await this.keys.countOf(owner.id);
      const key = PersonalApiKey.give(siblings, identity, grant, now);
      await this.activity.during(identity.id, 'created', () => this.keys.save(key));
      await this.notices.created(owner, identity.id, grant, now);
      return { ...(await this.listing(identity.id)), value: identity.value };
    });
  }

  /** @throws NobodyHasAddress */
  list({ email, organizationId }: KeyFilter): Promise<KeyListing[]> {
    return this.transaction.run(async () => {
      const owner = email === null ? null : await this.owner(email);
      return this.queries.list(owner?.id ?? null, organizationId);
    });
  }

  /** The key stops working at once (D11). @returns what it was @throws NotFound */
  revoke(id: string): Promise<KeyListing> {
    return this.transaction.run(async () => {
      const key = UUID.test(id) ? await this.keys.findById(id) : null;
      if (!key) throw new NotFound(`There is no key with the id ${id}.`);
      const listing = await this.listing(id);
      await this.activity.during(id, 'revoked', () => this.keys.remove(key));
      return listing;
    });
  }

  private async owner(email: string): Promise<User> {
    const user = await this.users.findByEmail(email);
    if (!user) throw new NobodyHasAddress(email);
    return user;
  }

  private async listing(id: string): Promise<KeyListing> {
    const listing = await this.queries.retrieve(id);
    if (!listing) throw new NotFound();
    return listing;
  }
}
