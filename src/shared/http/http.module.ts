import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { FirstAnswers } from '../idempotency/first-answers';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor';
import { AnswerInterceptor } from './answer.interceptor';
import { BodyInterceptor } from './body.interceptor';
import { BodyPipe } from './body.pipe';
import { ErrorFilter } from './error.filter';
import { HealthController, Readiness } from './health.controller';
import { Metrics, MetricsController } from './metrics';
import { OpenApiText, SchemaController } from './openapi/schema.controller';
import { PageAssetsController } from './pages/assets.controller';
import { RouteTable } from './route-table';

/** What every request passes, whatever its context: bodies, answers, errors; and the routes about the server. */
@Module({
  imports: [DiscoveryModule],
  controllers: [HealthController, MetricsController, SchemaController, PageAssetsController],
  providers: [
    RouteTable,
    Readiness,
    Metrics,
    OpenApiText,
    { provide: APP_PIPE, useClass: BodyPipe },
    FirstAnswers,
    // The first is the outermost: it sees what the others send.
    { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: AnswerInterceptor },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [RouteTable, Readiness, Metrics, OpenApiText],
})
export class HttpModule {}
