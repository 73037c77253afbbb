import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Clock } from '../shared/domain/clock';
import type { Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import type { KeyGrant } from './domain/key-grant';
import { PersonalApiKey, randomBase62 } from './domain/personal-api-key';
import { User } from './domain/user';
import { KeyActivity } from './key-activity';
import { KeyNotices } from './key-notices';
import { PersonalApiKeyQueries } from './persistence/personal-api-key.queries';
import { PersonalApiKeyRepository } from './persistence/personal-api-key.repository';
import { UserRepository } from './persistence/user.repository';

/** What other contexts may do with users and keys. */
@Injectable()
export class IdentityService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly users: UserRepository,
    private readonly keys: PersonalApiKeyRepository,
    private readonly keyQueries: PersonalApiKeyQueries,
    private readonly activity: KeyActivity,
    private readonly notices: KeyNotices,
  ) {}

  async createUser(person: {
    email: string;
    firstName: string;
    lastName: string;
    isEmailVerified: boolean | null;
  }): Promise<User> {
    return this.transaction.run(async () => {
      const user = User.join({ ...person, uuid: uuidv7(), distinctId: randomBase62(32) }, this.clock.now());
      await this.users.save(user);
      return user;
    });
  }

  /** @returns the key's value, which is kept nowhere (D11). */
  async issueKey(userId: number, grant: KeyGrant, value = PersonalApiKey.newValue()): Promise<string> {
    await this.keep(userId, grant, value);
    return value;
  }

  /** A new key as its owner sees it, with its value, this once (D11); a mail tells them of it. @throws NotFound */
  async issueAndReveal(userId: number, grant: KeyGrant): Promise<Representation> {
    return this.transaction.run(async () => {
      const value = PersonalApiKey.newValue();
      const id = await this.keep(userId, grant, value);
      await this.notices.created(await this.users.get(userId), id, grant, this.clock.now());
      return this.keyQueries.reveal(userId, id, value);
    });
  }

  /** Where the user's `@current` leads from now on (D14). */
  async enter(userId: number, organizationId: string | null, projectId: number | null): Promise<void> {
    await this.transaction.run(async () => {
      const user = await this.users.get(userId);
      user.enter(organizationId, projectId);
      await this.users.save(user);
    });
  }

  /** @returns the new key's id. */
  private keep(userId: number, grant: KeyGrant, value: string): Promise<string> {
    return this.transaction.run(async () => {
      const id = uuidv7();
      const key = PersonalApiKey.issue(id, userId, value, grant, this.clock.now());
      await this.activity.during(id, 'created', () => this.keys.save(key));
      return id;
    });
  }
}
