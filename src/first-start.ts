import { Injectable } from '@nestjs/common';
import { ActivityLog } from './activity/index';
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
    private readonly activity: ActivityLog,
    private readonly identity: IdentityService,
    private readonly organizations: OrganizationService,
  ) {}

  /**
   * Does nothing where there are users. Of several processes that start at once, one does it. A key that was made up
   * here is shown before the commit: were it the other way round, a process killed in between would leave a
   * database whose only key nobody has seen.
   */
  run(show: (key: string) => void): Promise<void> {
    return this.activity.triggeredBy({ job_type: 'first_start', job_id: 'hedgerow' }, () => this.make(show));
  }

  private async make(show: (key: string) => void): Promise<void> {
    const { bootstrapApiKey, bootstrapEmail, bootstrapOrganization } = this.settings;
    await this.transaction.run(async () => {
      await this.transaction.rows(LOCK, []);
      const [row] = await this.transaction.rows(ANYONE, []);
      if (row?.anyone) return;
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
      if (bootstrapApiKey === null) show(key);
    });
  }
}
