import { Injectable } from '@nestjs/common';
import { Settings } from './config/settings';
import { IdentityService } from './identity/index';
import { OrganizationService } from './organization/index';
import { PluginsAccess } from './shared/domain/level';
import { Statement } from './shared/persistence/statement';
import { Transaction } from './shared/persistence/transaction';

const LOCK = new Statement('first_start.lock', 'SELECT pg_advisory_xact_lock(4703652)');
const ANYONE = new Statement<{ anyone: boolean }>(
  'first_start.anyone',
  'SELECT EXISTS (SELECT FROM users) AS anyone',
);

/** Makes the first user, organization and project of an empty database (D24). */
@Injectable()
export class FirstStart {
  constructor(
    private readonly settings: Settings,
    private readonly transaction: Transaction,
    private readonly identity: IdentityService,
    private readonly organizations: OrganizationService,
  ) {}

  /**
   * Does nothing where there are users. Of several processes that start at once, one does it.
   * @returns the key when one was made up here, to be shown once; null when it was given or nothing was done.
   */
  async run(): Promise<string | null> {
    const { bootstrapApiKey, bootstrapEmail, bootstrapOrganization } = this.settings;
    return this.transaction.run(async () => {
      await this.transaction.rows(LOCK, []);
      const [row] = await this.transaction.rows(ANYONE, []);
      if (row?.anyone) return null;
      const owner = await this.identity.createUser({
        email: bootstrapEmail,
        firstName: 'Admin',
        lastName: '',
        isEmailVerified: null,
      });
      await this.organizations.create(owner.id, { name: bootstrapOrganization }, PluginsAccess.Root);
      const grant = {
        label: 'First key',
        scopes: ['*'],
        scopedOrganizations: [],
        scopedTeams: [],
        expiresAt: null,
      };
      const key = await this.identity.issueKey(owner.id, grant, bootstrapApiKey ?? undefined);
      return bootstrapApiKey === null ? key : null;
    });
  }
}
