import { Module } from '@nestjs/common';
import { AccountService } from './account.service';
import { AccountController } from './http/account.controller';
import { AccountQueries } from './persistence/account.queries';

/** The caller's own view of themselves and where they belong. */
@Module({
  controllers: [AccountController],
  providers: [AccountService, AccountQueries],
})
export class AccountModule {}
