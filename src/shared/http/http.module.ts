import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { AnswerInterceptor } from './answer.interceptor';
import { BodyPipe } from './body.pipe';
import { ErrorFilter } from './error.filter';
import { HealthController, Readiness } from './health.controller';
import { Metrics, MetricsController } from './metrics';
import { OpenApiText, SchemaController } from './openapi/schema.controller';
import { RouteTable } from './route-table';

/** What every request passes, whatever its context: bodies, answers, errors; and the routes about the server. */
@Module({
  imports: [DiscoveryModule],
  controllers: [HealthController, MetricsController, SchemaController],
  providers: [
    RouteTable,
    Readiness,
    Metrics,
    OpenApiText,
    { provide: APP_PIPE, useClass: BodyPipe },
    { provide: APP_INTERCEPTOR, useClass: AnswerInterceptor },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [RouteTable, Readiness, Metrics, OpenApiText],
})
export class HttpModule {}
