import { type DynamicModule, Module } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { AccountModule } from './account/index';
import { ActionModule } from './action/index';
import { ActivityModule } from './activity/index';
import { BatchExportModule } from './batch-export/index';
import { ConfigModule } from './config/config.module';
import type { Settings } from './config/settings';
import { entities } from './entities';
import { EventModule } from './event/index';
import { FirstStart } from './first-start';
import { IdentityModule } from './identity/index';
import { loggerParams } from './logging';
import { MembershipModule } from './membership/index';
import { OrganizationModule } from './organization/index';
import { PipelineModule } from './pipeline/index';
import { ProjectModule } from './project/index';
import { DomainModule } from './shared/domain.module';
import { AnswersModule } from './shared/http/answers.module';
import { HttpModule } from './shared/http/http.module';
import { JobsModule } from './shared/jobs/jobs.module';
import { LimitsModule } from './shared/limits/limits.module';
import { MailModule } from './shared/mail/mail.module';
import { PersistenceModule } from './shared/persistence/persistence.module';
import { RequestModule } from './shared/request/request.module';

@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: Nest's form of a module with parameters
export class AppModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(settings),
        LoggerModule.forRoot(loggerParams(settings)),
        DomainModule,
        PersistenceModule.with(entities),
        RequestModule,
        JobsModule,
        LimitsModule,
        MailModule,
        HttpModule,
        AnswersModule,
        IdentityModule,
        OrganizationModule,
        MembershipModule,
        ProjectModule,
        AccountModule,
        ActivityModule,
        EventModule,
        BatchExportModule,
        PipelineModule,
        ActionModule,
      ],
      providers: [FirstStart],
    };
  }
}
