import { type RequestHandler, Router } from 'express';

/** A segment that stands for itself. */
const FIXED = /^[\w.@-]+$/;

/** The segments after which routes are told apart: what stands before them and between them are ids. */
const TELLING = [0, 1, 3];

/**
 * Routes by the shape of their paths: how many segments they have, and which. Express tries its routes one after
 * another, and there are more than a hundred. What fits no group, such as a path with encoded characters, is left to
 * Express, which knows every route.
 */
export class RouteGroups {
  static readonly METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

  private readonly groups = new Map<string, Router>();

  /** @returns whether the route belongs to a group: its path tells which */
  add(method: (typeof RouteGroups.METHODS)[number], [path, ...handlers]: readonly unknown[]): boolean {
    if (typeof path !== 'string') return false;
    const segments = segmentsOf(path);
    if (!TELLING.every((index) => FIXED.test(segments[index] ?? 'none'))) return false;
    const shape = shapeOf(segments);
    const group = this.groups.get(shape) ?? Router();
    this.groups.set(shape, group);
    group[method](path, ...(handlers as RequestHandler[]));
    return true;
  }

  /** To other methods the group alone would have an answer, such as to OPTIONS. */
  readonly dispatch: RequestHandler = (request, response, next) => {
    const isKnown = ANSWERED.includes(request.method);
    const group = isKnown && this.groups.get(shapeOf(segmentsOf(request.path)));
    if (group) group(request, response, next);
    else next();
  };
}

const ANSWERED: readonly string[] = [...RouteGroups.METHODS.map((method) => method.toUpperCase()), 'HEAD'];

const segmentsOf = (path: string): string[] => path.toLowerCase().replace(/\/$/, '').split('/').slice(1);

const shapeOf = (segments: readonly string[]): string =>
  `${segments.length} ${TELLING.map((index) => segments[index] ?? '').join('/')}`;
