import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import { RouteGroups } from './route-groups';
import { type Answers, isText } from './shared/http/answers';
import type { ApiRequest } from './shared/http/api-request';

/**
 * So many connections may wait to be taken, if the system allows as many: of a thousand that came at once, Node's usual
 * 511 left hundreds to knock again, after one second, three, seven.
 */
const MOST_KNOCKING = 4_096;

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

/**
 * Express on a server that is not kept waiting, that finds routes and sends texts with less ado, and that renders what
 * controllers answer (ADR 24).
 */
export class HttpAdapter extends ExpressAdapter {
  private readonly groups = new RouteGroups();
  private isGrouping = false;
  private answers: Pick<Answers, 'render'> | null = null;

  constructor(private readonly sendTimeout = SEND_TIMEOUT) {
    super();
    for (const method of RouteGroups.METHODS) this.group(method);
  }

  /** The routes that are registered from now on are found by their groups, behind all middleware that there is by now. */
  groupRoutes(): void {
    this.isGrouping = true;
    this.use(this.groups.dispatch);
  }

  /** What controllers answer is rendered by this from now on. */
  renderWith(answers: Pick<Answers, 'render'>): void {
    this.answers = answers;
  }

  override initHttpServer(): void {
    const { request, response } = this.getInstance<Express>();
    const born = {
      IncomingMessage: bornAs(IncomingMessage, request),
      ServerResponse: bornAs(ServerResponse, response),
    };
    this.httpServer = createServer({ ...TIMEOUTS, ...born }, this.getInstance());
    this.httpServer.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      this.limitSending(request, response),
    );
  }

  /** As Nest calls it: perhaps with a host, and with what is called once it listens. */
  override listen(port: string | number, ...given: readonly unknown[]): Server {
    const host = given.find((value) => typeof value === 'string');
    const callback = given.find((value) => typeof value === 'function') as (() => void) | undefined;
    return this.httpServer.listen({ port, host, backlog: MOST_KNOCKING }, callback);
  }

  /** A text whose type is known goes out as it is: Express would look for a type, a tag and freshness first. */
  override reply(response: Response, answer: unknown, statusCode?: number): unknown {
    if (statusCode !== undefined) response.statusCode = statusCode;
    const request = response.req as unknown as ApiRequest;
    const body = this.answers ? this.answers.render(answer, request, response) : answer;
    if (!isText(body)) return super.reply(response, body);
    const isPlain =
      response.hasHeader('Content-Type') &&
      !WITHOUT_BODY.includes(response.statusCode) &&
      response.req.method !== 'HEAD';
    if (!isPlain) return super.reply(response, String(body));
    return typeof body === 'string' ? sendText(response, body) : sendPieces(response, body.pieces);
  }

  /** All are known to Express as well, which finds what fits no group. */
  private group(method: (typeof RouteGroups.METHODS)[number]): void {
    const register = this[method].bind(this) as (...route: unknown[]) => unknown;
    this[method] = (...route: unknown[]) => {
      if (this.isGrouping) this.groups.add(method, route);
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

function sendText(response: Response, text: string): Response {
  response.setHeader('Content-Length', Buffer.byteLength(text));
  return response.end(text);
}

function sendPieces(response: Response, pieces: readonly string[]): Response {
  response.setHeader(
    'Content-Length',
    pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0),
  );
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
  response.uncork();
  return response;
}

/**
 * The class, with instances that have this prototype from the beginning. Express gives it to every request and response
 * otherwise, and V8 does badly with objects that change their prototype: it was half the time of a small request.
 */
function bornAs<Class extends typeof IncomingMessage | typeof ServerResponse>(
  parent: Class,
  prototype: InstanceType<Class>,
): Class {
  // Node's are functions that can be called on an object that is there.
  const construct = parent as unknown as (this: object, ...given: unknown[]) => void;
  function Born(this: object, first: unknown, second: unknown): void {
    construct.call(this, first, second);
  }
  Born.prototype = prototype;
  return Born as unknown as Class;
}
