import { Module } from '@nestjs/common';

/** The caller's own view of themselves and where they belong. */
@Module({})
export class AccountModule {}
