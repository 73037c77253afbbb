import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { BodyGuard } from '../shared/http/body.guard';
import { AuthenticationService } from './authentication.service';
import { BearerGuard } from './http/bearer.guard';
import { BearerStrategy } from './http/bearer.strategy';
import { LevelGuard } from './http/level.guard';
import { OrganizationPersonalApiKeysController } from './http/organization-keys.controller';
import { PersonalApiKeysController } from './http/personal-api-keys.controller';
import { RateLimitGuard } from './http/rate-limit.guard';
import { ScopeGuard } from './http/scope.guard';
import { TenantGuard } from './http/tenant.guard';
import { IdentityService } from './identity.service';
import { KeyActivity } from './key-activity';
import { KeyAdministration } from './key-administration.service';
import { KeyNotices } from './key-notices';
import { KeyAdministrationQueries } from './persistence/key-administration.queries';
import { PersonalApiKeyQueries } from './persistence/personal-api-key.queries';
import { PersonalApiKeyRepository } from './persistence/personal-api-key.repository';
import { PrincipalQueries } from './persistence/principal.queries';
import { UserRepository } from './persistence/user.repository';
import { UserAdministrationQueries } from './persistence/user-administration.queries';
import { PersonalApiKeyService } from './personal-api-key.service';
import { UserAdministration } from './user-administration.service';

@Global()
@Module({
  controllers: [PersonalApiKeysController, OrganizationPersonalApiKeysController],
  providers: [
    AuthenticationService,
    BearerStrategy,
    IdentityService,
    KeyActivity,
    KeyAdministration,
    KeyAdministrationQueries,
    KeyNotices,
    PersonalApiKeyQueries,
    PersonalApiKeyRepository,
    PersonalApiKeyService,
    PrincipalQueries,
    UserAdministration,
    UserAdministrationQueries,
    UserRepository,
    // The order of these is the order of the checks (D13).
    { provide: APP_GUARD, useClass: BearerGuard },
    { provide: APP_GUARD, useClass: ScopeGuard },
    { provide: APP_GUARD, useClass: TenantGuard },
    { provide: APP_GUARD, useClass: LevelGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: BodyGuard },
  ],
  exports: [IdentityService, KeyAdministration, UserAdministration, UserRepository],
})
export class IdentityModule {}
