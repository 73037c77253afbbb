import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { RouteGroups } from './route-groups';

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

/** Answers that have no body, whatever they are given. */
const WITHOUT_BODY = [204, 205, 304];

/** Express on a server that is not kept waiting, and that finds routes and sends texts with less ado. */
export class HttpAdapter extends ExpressAdapter {
  private readonly groups = new RouteGroups();
  private isGrouping = false;
  private hasGroups = false;

  constructor(private readonly sendTimeout = SEND_TIMEOUT) {
    super();
    for (const method of RouteGroups.METHODS) this.group(method);
  }

  /**
   * The routes that are registered from now on are found by their groups, which stand where the first of them does:
   * behind all middleware that is registered before it.
   */
  groupRoutes(): void {
    this.isGrouping = true;
  }

  override initHttpServer(): void {
    this.httpServer = createServer(TIMEOUTS, this.getInstance());
    this.httpServer.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      this.limitSending(request, response),
    );
  }

  /** A text whose type is known goes out as it is: Express would look for a type, a tag and freshness first. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (statusCode !== undefined) response.statusCode = statusCode;
    const isPlain =
      typeof body === 'string' &&
      response.hasHeader('Content-Type') &&
      !WITHOUT_BODY.includes(response.statusCode) &&
      response.req.method !== 'HEAD';
    if (!isPlain) return super.reply(response, body);
    response.setHeader('Content-Length', Buffer.byteLength(body));
    return response.end(body);
  }

  /** All are known to Express as well, which finds what fits no group. */
  private group(method: (typeof RouteGroups.METHODS)[number]): void {
    const register = this[method].bind(this) as (...route: unknown[]) => unknown;
    this[method] = (...route: unknown[]) => {
      if (this.isGrouping && this.groups.add(method, route) && !this.hasGroups) {
        this.hasGroups = true;
        this.use(this.groups.dispatch);
      }
      return register(...route);
    };
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
