import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** A segment that stands for itself. */
const FIXED = /^[\w.@-]+$/;
const PARAMETER = /^:(\w+)$/;

/** The segments after which routes are told apart: what stands before them and between them are ids. */
const TELLING = [0, 1, 3];

interface Route {
  readonly path: string;
  readonly segments: readonly Segment[];
  readonly handler: RequestHandler;
}

/** What stands in one place of a path: a word, or a parameter of this name. */
type Segment = { readonly word: string } | { readonly parameter: string };

/**
 * Routes by the shape of their paths: method, how many segments, and which. Express tries its routes one after another,
 * and there are more than a hundred. What fits no group, such as a path with encoded characters, is left to Express,
 * which knows every route.
 */
export class RouteGroups {
  static readonly METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

  private readonly groups = new Map<string, Route[]>();

  /** @returns whether the route belongs to a group: its path tells which */
  add(method: (typeof RouteGroups.METHODS)[number], [path, ...handlers]: readonly unknown[]): boolean {
    const [handler, ...others] = handlers;
    if (typeof path !== 'string' || typeof handler !== 'function' || others.length > 0) return false;
    const texts = textsOf(path);
    const segments = texts.map(segmentOf);
    const isTold = TELLING.every((index) => index >= texts.length || FIXED.test(texts[index] ?? ''));
    if (!isTold || segments.includes(null)) return false;
    const shape = shapeOf(method, texts);
    const route = { path, segments: segments as Segment[], handler: handler as RequestHandler };
    this.groups.set(shape, [...(this.groups.get(shape) ?? []), route]);
    return true;
  }

  /** Hands a request to its route, or on to Express. */
  readonly dispatch: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
    const { path } = request;
    if (path.includes('%')) return next();
    const texts = textsOf(path);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    for (const route of this.groups.get(shapeOf(method, texts)) ?? []) {
      const params = paramsOf(route.segments, texts);
      if (params === null) continue;
      request.params = params;
      request.route = { path: route.path };
      // As Express does with a route: what a promise of it fails with, Express sees to.
      return route.handler(request, response, next);
    }
    next();
  };
}

const textsOf = (path: string): string[] => path.slice(1, path.endsWith('/') ? -1 : undefined).split('/');

function segmentOf(text: string): Segment | null {
  const [, parameter] = PARAMETER.exec(text) ?? [];
  if (parameter !== undefined) return { parameter };
  return FIXED.test(text) ? { word: text.toLowerCase() } : null;
}

const shapeOf = (method: string, texts: readonly string[]): string =>
  `${method} ${texts.length} ${TELLING.map((index) => texts[index] ?? '').join('/')}`.toLowerCase();

/** Null where the path is another than the segments stand for. */
function paramsOf(segments: readonly Segment[], texts: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const text = texts[index] ?? '';
    if ('word' in segment ? segment.word !== text.toLowerCase() : text === '') return null;
    if ('parameter' in segment) params[segment.parameter] = text;
  }
  return params;
}
