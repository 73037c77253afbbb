import { Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from './domain/clock';
import { DomainEvents } from './domain/domain-events';

/** What every context's domain works with. */
@Global()
@Module({
  providers: [{ provide: Clock, useClass: SystemClock }, DomainEvents],
  exports: [Clock, DomainEvents],
})
export class DomainModule {}
