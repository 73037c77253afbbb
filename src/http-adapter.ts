import { createServer } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';

/** In milliseconds. */
const TIMEOUTS = {
  /** Until the headers of a request are there: longer is who sends them one by one to keep a connection. */
  headersTimeout: 10_000,
  /** Until the whole request is there; 20 MiB of events come over a slow line as well. */
  requestTimeout: 120_000,
  /** Between two requests: longer than the 60 s after which proxies drop a connection, so that they do so first. */
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};

/** Express on a server that is not kept waiting. */
export class HttpAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    this.httpServer = createServer(TIMEOUTS, this.getInstance());
  }
}
