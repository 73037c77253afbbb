import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { BearerGuard } from './http/bearer.guard';
import { BearerStrategy } from './http/bearer.strategy';
import { LevelGuard } from './http/level.guard';
import { ScopeGuard } from './http/scope.guard';
import { TenantGuard } from './http/tenant.guard';
import { IdentityService } from './identity.service';
import { PersonalApiKeyRepository } from './persistence/personal-api-key.repository';
import { PrincipalQueries } from './persistence/principal.queries';
import { UserRepository } from './persistence/user.repository';

@Global()
@Module({
  imports: [PassportModule],
  providers: [
    BearerStrategy,
    IdentityService,
    PersonalApiKeyRepository,
    PrincipalQueries,
    UserRepository,
    // The order of these four is the order of the checks (D13).
    { provide: APP_GUARD, useClass: BearerGuard },
    { provide: APP_GUARD, useClass: ScopeGuard },
    { provide: APP_GUARD, useClass: TenantGuard },
    { provide: APP_GUARD, useClass: LevelGuard },
  ],
  exports: [IdentityService, UserRepository],
})
export class IdentityModule {}
