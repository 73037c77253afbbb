import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ActivityLog, ActivityModule } from '../activity/index';
import { ConfigModule } from '../config/config.module';
import type { Settings } from '../config/settings';
import { entities } from '../entities';
import { IdentityModule, KeyAdministration, UserAdministration } from '../identity/index';
import { Deactivation, MembershipModule } from '../membership/index';
import { OrganizationAdministration, OrganizationModule } from '../organization/index';
import { DomainModule } from '../shared/domain.module';
import { AnswersModule } from '../shared/http/answers.module';
import { JobsModule } from '../shared/jobs/jobs.module';
import { LimitsModule } from '../shared/limits/limits.module';
import { MailModule } from '../shared/mail/mail.module';
import { requireMigrated } from '../shared/persistence/migrate';
import { PersistenceModule } from '../shared/persistence/persistence.module';
import { RequestModule } from '../shared/request/request.module';

/** What the contexts offer the operator. */
export interface Services {
  readonly keys: KeyAdministration;
  readonly users: UserAdministration;
  readonly deactivation: Deactivation;
  readonly organizations: OrganizationAdministration;
}

/** What entries about what an operator does say of it: a command has no user. */
const COMMAND = { job_type: 'command', job_id: 'hedgerow' };

@Module({})
class ServicesModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: ServicesModule,
      imports: [
        ConfigModule.with(settings),
        DomainModule,
        PersistenceModule.with(entities, requireMigrated),
        RequestModule,
        JobsModule,
        LimitsModule,
        MailModule,
        AnswersModule,
        ActivityModule,
        IdentityModule,
        OrganizationModule,
        MembershipModule,
      ],
    };
  }
}

/**
 * Works with the application services of the contexts, as the server has them, on a database that is up to date. No
 * request is taken and no job executed.
 * @throws DatabaseUnusable
 */
export async function withServices<T>(
  settings: Settings,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const app = await NestFactory.createApplicationContext(ServicesModule.with(settings.forCommand()), {
    logger: false,
    abortOnError: false,
  });
  try {
    const services = {
      keys: app.get(KeyAdministration),
      users: app.get(UserAdministration),
      deactivation: app.get(Deactivation),
      organizations: app.get(OrganizationAdministration),
    };
    return await app.get(ActivityLog).triggeredBy(COMMAND, () => work(services));
  } finally {
    await app.close();
  }
}
