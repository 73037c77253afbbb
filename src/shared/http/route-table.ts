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
  readonly tenant: TenantOfPath | null;
  readonly levels: readonly RequiredLevel[];
  readonly needsPluginsAccess: boolean;
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
    for (const { path, method } of this.all) {
      const known = methods.get(path) ?? [];
      methods.set(path, [...known, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
    }
    this.paths = [...methods].map(([path, allowed]) => ({ matches: match(path), methods: allowed }));
  }

  routes(): readonly Route[] {
    return this.all;
  }

  knows(url: string): boolean {
    return this.methodsOf(url).length > 0;
  }

  /** Why no route took a request: its path is unknown (ERR-13), or known with other methods (D4). */
  refusal(method: string, url: string): NotFound | MethodNotAllowed {
    const allowed = this.methodsOf(url);
    return allowed.length > 0 ? new MethodNotAllowed(method, allowed) : new NotFound('Endpoint not found.');
  }

  private methodsOf(url: string): readonly string[] {
    const path = url.replace(/[?#].*$/s, '').replace(/\/$/, '');
    const allowed = this.paths.filter(({ matches }) => matches(path)).flatMap(({ methods }) => methods);
    // A literal path such as `invites/bulk` is also matched by its neighbour `invites/:id`.
    return [...new Set(allowed)];
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
      if (!access)
        throw new Error(`${controller.name}.${name} declares neither a scope nor that it is public`);
      return [
        {
          method: RequestMethod[method],
          path: path.replace(/\/+/g, '/').replace(/\/$/, ''),
          access,
          tenant: this.reflector.getAllAndOverride<TenantOfPath | undefined>(TENANT, targets) ?? null,
          levels:
            this.reflector.getAllAndOverride<RequiredLevel[] | undefined>(LEVELS_REQUIRED, targets) ?? [],
          needsPluginsAccess:
            this.reflector.getAllAndOverride<number | undefined>(PLUGINS_ACCESS_REQUIRED, targets) !==
            undefined,
        },
      ];
    });
  }
}
