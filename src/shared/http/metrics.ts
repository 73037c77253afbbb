import { createServer, type Server } from 'node:http';
import { Controller, Get, Header, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  collectDefaultMetrics,
  Histogram,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { Settings } from '../../config/settings';
import { NotFound } from '../domain/domain-error';
import { Public } from './access';

/** What `/metrics` tells, in Prometheus' text format: the process, and every request by route and status. */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  private readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });
  private server: Server | null = null;
  /** Where this process serves beside others: tells those of all of them. */
  gather: (() => Promise<string>) | null = null;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** `route` is the template of the path, never the path: its ids would make a series each. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.requests.observe({ method, route, status }, seconds);
  }

  /** Tells a context's own metric as well; it is made with `registers: []`. */
  register<M extends Metric>(metric: M): M {
    this.registry.registerMetric(metric);
    return metric;
  }

  text(): Promise<string> {
    return this.gather?.() ?? this.registry.metrics();
  }

  /** Those of this process alone. */
  values(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    return this.registry.getMetricsAsJSON();
  }

  /** Serves the metrics on a port of their own (`METRICS_PORT`), away from the callers of the API. */
  async listen(port: number, host: string): Promise<void> {
    const server = createServer((request, response) => {
      if (request.url !== '/metrics') return response.writeHead(404).end();
      this.text().then(
        (text) => response.writeHead(200, { 'Content-Type': this.registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    this.server = server;
  }

  onApplicationShutdown(): void {
    this.server?.close();
  }
}

@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly settings: Settings,
  ) {}

  @Get()
  @Public()
  @Header('Content-Type', Registry.PROMETHEUS_CONTENT_TYPE)
  retrieve(): Promise<string> {
    if (this.settings.metricsPort !== null) throw new NotFound('Endpoint not found.');
    return this.metrics.text();
  }
}
