import { Injectable, type OnApplicationBootstrap, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { type MatchFunction, match } from 'path-to-regexp';
import { NotFound } from '../domain/domain-error';
import {
  ACCESS,
  type Access,
  LEVELS_REQUIRED,
  PLUGINS_ACCESS_REQUIRED,
  REFUSED,
  type RequiredLevel,
  TENANT,
  type TenantOfPath,
} from './access';
import { MethodNotAllowed } from './http-errors';

export interface Route {
  readonly method: string;
  /** Such as `/api/organizations/:id`, without the slash at the end. */
  readonly path: string;
  readonly access: Access;
  /** The organization or project of its path, or both, the controller's first. */
  readonly tenants: readonly TenantOfPath[];
  readonly levels: readonly RequiredLevel[];
  readonly needsPluginsAccess: boolean;
  /** Whether it answers 405 by design, and so is not in `Allow`. */
  readonly refused: boolean;
  /** Whether it changes or deletes a resource that can be retrieved, and so may depend on its state (`If-Match`). */
  readonly conditional: boolean;
  /** Whether it answers one resource, with an `ETag`. */
  readonly retrieves: boolean;
}

/** Every route of the controllers. Answers what a request that no route took deserves: 404 or 405. */
@Injectable()
export class RouteTable implements OnApplicationBootstrap {
  private all: readonly Route[] = [];
  private paths: ReadonlyArray<{ matches: MatchFunction<object>; methods: readonly string[] }> = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** @throws Error for a route that declares neither a scope nor that it is public: the server does not start (D12). */
  onApplicationBootstrap(): void {
    this.all = this.discovery
      .getControllers()
      .flatMap(({ instance, metatype }) => this.routesOf(instance, metatype));
    const methods = new Map<string, string[]>();
    for (const { path, method, refused } of this.all) {
      const offered = method === 'GET' ? ['GET', 'HEAD'] : [method];
      methods.set(path, [...(methods.get(path) ?? []), ...(refused ? [] : offered)]);
    }
    this.paths = [...methods].map(([path, allowed]) => ({
      matches: match(path, { trailing: false, decode: false }),
      methods: allowed,
    }));
  }

  routes(): readonly Route[] {
    return this.all;
  }

  knows(url: string): boolean {
    return this.matching(url).length > 0;
  }

  /** The methods that a path offers, as `Allow` names them. */
  allowed(url: string): readonly string[] {
    // A literal path such as `invites/bulk` is also matched by its neighbour `invites/:id`.
    return [...new Set(this.matching(url).flatMap(({ methods }) => methods))];
  }

  /** Why no route took a request: its path is unknown (ERR-13), or known with other methods (D4). */
  refusal(method: string, url: string): NotFound | MethodNotAllowed {
    return this.knows(url) ? new MethodNotAllowed(method) : new NotFound('Endpoint not found.');
  }

  private matching(url: string) {
    const path = url.replace(/[?#].*$/s, '').replace(/\/$/, '');
    return this.paths.filter(({ matches }) => matches(path));
  }

  private routesOf(instance: object, controller: unknown): Route[] {
    if (typeof controller !== 'function') return [];
    const base = this.reflector.get<string>(PATH_METADATA, controller as () => void);
    const prototype = Object.getPrototypeOf(instance) as Record<string, () => void>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      const method = handler && this.reflector.get<RequestMethod | undefined>(METHOD_METADATA, handler);
      if (!handler || method === undefined) return [];
      const path = `/${base}/${this.reflector.get<string>(PATH_METADATA, handler)}`;
      const targets = [handler, controller as () => void];
      const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, targets);
      const refused = this.reflector.get<boolean | undefined>(REFUSED, handler) ?? false;
      if (!access)
        throw new Error(`${controller.name}.${name} declares neither a scope nor that it is public`);
      return [
        {
          method: RequestMethod[method],
          path: path.replace(/\/+/g, '/').replace(/\/$/, ''),
          access,
          tenants: [controller as () => void, handler].flatMap(
            (target) => this.reflector.get<TenantOfPath | undefined>(TENANT, target) ?? [],
          ),
          levels:
            this.reflector.getAllAndOverride<RequiredLevel[] | undefined>(LEVELS_REQUIRED, targets) ?? [],
          needsPluginsAccess:
            this.reflector.getAllAndOverride<number | undefined>(PLUGINS_ACCESS_REQUIRED, targets) !==
            undefined,
          refused,
          conditional: !refused && ['update', 'replace', 'delete'].includes(name) && 'retrieve' in prototype,
          retrieves: name === 'retrieve',
        },
      ];
    });
  }
}
