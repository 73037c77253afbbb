import { Global, Module } from '@nestjs/common';
import { FirstAnswers } from './first-answers';

@Global()
@Module({ providers: [FirstAnswers], exports: [FirstAnswers] })
export class IdempotencyModule {}
