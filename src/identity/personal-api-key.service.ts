import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Clock } from '../shared/domain/clock';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Unauthenticated } from '../shared/http/http-errors';
import { Transaction } from '../shared/persistence/transaction';
import { Preconditions } from '../shared/request/preconditions';
import { type KeyGrant, tidied } from './domain/key-grant';
import { PersonalApiKey } from './domain/personal-api-key';
import type { User } from './domain/user';
import { KeyActivity } from './key-activity';
import { KeyNotices } from './key-notices';
import { refuseStrange } from './key-reach';
import { PersonalApiKeyQueries } from './persistence/personal-api-key.queries';
import { PersonalApiKeyRepository } from './persistence/personal-api-key.repository';
import { UserRepository } from './persistence/user.repository';
import type { Principal } from './principal';

/** What a caller must say of a new key; what is left out does not restrict it. */
export type NewKey = Pick<KeyGrant, 'label' | 'scopes'> & Partial<KeyGrant>;

/** A user's keys, managed with one of them, which never gives more than it has itself. */
@Injectable()
export class PersonalApiKeyService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly preconditions: Preconditions,
    private readonly users: UserRepository,
    private readonly keys: PersonalApiKeyRepository,
    private readonly queries: PersonalApiKeyQueries,
    private readonly activity: KeyActivity,
    private readonly notices: KeyNotices,
  ) {}

  list(userId: number, window: PageWindow): Promise<Page> {
    return this.queries.list(userId, window);
  }

  /** The members' keys that reach an organization, for those who administer it; never their values. */
  reaching(organizationId: string, window: PageWindow): Promise<Page> {
    return this.queries.listReaching(organizationId, this.clock.now(), window);
  }

  /** @throws NotFound */
  retrieve(userId: number, id: string): Promise<Representation> {
    return this.queries.retrieve(userId, id);
  }

  /**
   * The answer alone shows the value (KEY-02); a mail tells the user that there is a new key.
   * @throws Invalid (KEY-05, KEY-07, KEY-08), Forbidden when the new key would have more than the caller's
   */
  create(caller: Principal, asked: NewKey): Promise<Representation> {
    return this.holding(caller, async (by, owner) => {
      const grant = tidied({
        label: asked.label,
        scopes: asked.scopes,
        scopedOrganizations: asked.scopedOrganizations ?? [],
        scopedTeams: asked.scopedTeams ?? [],
        expiresAt: asked.expiresAt ?? null,
      });
      await refuseStrange(this.queries, caller.userId, grant.scopedOrganizations, grant.scopedTeams);
      const { userId } = caller;
      const siblings = await this.keys.countOf(userId);
      const identity = { id: uuidv7(), userId, value: PersonalApiKey.newValue() };
      const now = this.clock.now();
      const key = PersonalApiKey.delegate(by, siblings, identity, grant, now);
      await this.activity.during(identity.id, 'created', () => this.keys.save(key));
      await this.notices.created(owner, identity.id, grant, now);
      return this.queries.reveal(userId, identity.id, identity.value);
    });
  }

  /**
   * Absent fields stay as they are.
   * @throws NotFound, Invalid (KEY-05, KEY-08), Forbidden when the key has or would have more than the caller's
   */
  update(caller: Principal, id: string, asked: Partial<KeyGrant>): Promise<Representation> {
    return this.holding(caller, async (by) => {
      const key = await this.keys.get(caller.userId, id);
      this.preconditions.check(await this.queries.retrieve(caller.userId, id));
      const before = key.grant();
      const change = tidied(asked);
      // What the key is scoped to already may be sent back, though its user has left it since.
      await refuseStrange(
        this.queries,
        caller.userId,
        (change.scopedOrganizations ?? []).filter((item) => !before.scopedOrganizations.includes(item)),
        (change.scopedTeams ?? []).filter((item) => !before.scopedTeams.includes(item)),
      );
      key.change(change, by, this.clock.now());
      await this.activity.during(id, 'updated', () => this.keys.save(key));
      return this.queries.retrieve(caller.userId, id);
    });
  }

  /**
   * The key gets another value, which the answer alone shows; the old one stops working.
   * @throws NotFound, Forbidden when the key has more than the caller's
   */
  roll(caller: Principal, id: string): Promise<Representation> {
    return this.holding(caller, async (by) => {
      const key = await this.keys.get(caller.userId, id);
      const value = PersonalApiKey.newValue();
      key.roll(value, by, this.clock.now());
      await this.activity.during(id, 'rolled', () => this.keys.save(key));
      return this.queries.reveal(caller.userId, id, value);
    });
  }

  /** The key stops working at once (D11). @throws NotFound */
  delete(caller: Principal, id: string): Promise<void> {
    return this.holding(caller, async () => {
      const key = await this.keys.get(caller.userId, id);
      this.preconditions.check(await this.queries.retrieve(caller.userId, id));
      await this.activity.during(id, 'deleted', () => this.keys.remove(key));
    });
  }

  /**
   * Works with what the calling key grants at this moment. A user's keys change one after another, so that two
   * requests at once neither exceed the limit nor use a key that the other has narrowed or deleted.
   * @throws Unauthenticated when the calling key is gone
   */
  private holding<T>(caller: Principal, work: (by: KeyGrant, owner: User) => Promise<T>): Promise<T> {
    return this.transaction.run(async () => {
      const owner = await this.users.get(caller.userId);
      const key = await this.keys.find(caller.userId, caller.keyId);
      if (!key) {
        throw new Unauthenticated('authentication_failed', 'This personal API key has just been deleted.');
      }
      return work(key.grant(), owner);
    });
  }
}
