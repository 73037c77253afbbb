import { Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { BodyPipe } from './body.pipe';
import { ErrorFilter } from './error.filter';
import { HealthController, Readiness } from './health.controller';
import { Metrics, MetricsController } from './metrics';
import { OpenApiText, SchemaController } from './openapi/schema.controller';
import { PageAssetsController } from './pages/assets.controller';
import { RequestLog } from './request-log';
import { RouteTable } from './route-table';

/** What every request passes, whatever its context: bodies, answers, errors; and the routes about the server. */
@Module({
  imports: [DiscoveryModule],
  controllers: [HealthController, MetricsController, SchemaController, PageAssetsController],
  providers: [
    RouteTable,
    Readiness,
    Metrics,
    RequestLog,
    OpenApiText,
    { provide: APP_PIPE, useClass: BodyPipe },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [RouteTable, Readiness, Metrics, RequestLog, OpenApiText],
})
export class HttpModule {}
