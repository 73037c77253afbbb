import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
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

/** In milliseconds, from the end of an answer until its last byte has left: who reads slower keeps it in memory. */
const SEND_TIMEOUT = 120_000;

/** Express on a server that is not kept waiting. */
export class HttpAdapter extends ExpressAdapter {
  constructor(private readonly sendTimeout = SEND_TIMEOUT) {
    super();
  }

  override initHttpServer(): void {
    this.httpServer = createServer(TIMEOUTS, this.getInstance());
    this.httpServer.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      this.limitSending(request, response),
    );
  }

  private limitSending({ socket }: IncomingMessage, response: ServerResponse): void {
    response.once('prefinish', () => {
      // Nearly every answer has left by now.
      if (socket.writableLength === 0) return;
      const timer = setTimeout(() => socket.destroy(), this.sendTimeout);
      response.once('close', () => clearTimeout(timer));
    });
  }
}
