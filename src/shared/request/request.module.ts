import { Global, Module } from '@nestjs/common';
import { CurrentRequest } from './current-request';
import { Preconditions } from './preconditions';

/** What is known of the request that is being answered, wherever it matters. */
@Global()
@Module({ providers: [CurrentRequest, Preconditions], exports: [CurrentRequest, Preconditions] })
export class RequestModule {}
