import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, getSchemaPath, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { TenantOfPath } from '../access';
import { type Route, RouteTable } from '../route-table';
import { ErrorResponse } from './error.response';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The error answers that follow from what a route declares; each has its text once, in `components.responses`. */
const ERRORS = {
  400: { name: 'Invalid', description: 'A field, a parameter or the body is not valid; `attr` names it.' },
  401: { name: 'Unauthenticated', description: 'The key is missing, unknown, expired or deleted.' },
  403: { name: 'Forbidden', description: 'The key lacks the scope, or the caller the level, for this.' },
  404: { name: 'NotFound', description: 'There is no such thing within the reach of the caller.' },
  413: { name: 'TooLarge', description: 'The body is larger than 1 MiB.' },
  415: { name: 'UnsupportedMediaType', description: 'The body is not JSON.' },
  500: {
    name: 'ServerError',
    description: 'The server failed; its log says why, under the X-Request-Id of the answer.',
  },
  503: {
    name: 'Unavailable',
    description: 'The server cannot serve now; try again after Retry-After seconds.',
  },
} as const;

/** The OpenAPI document of the running routes, with what the routes enforce and so need not say twice. */
export function createDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Hedgerow')
    .setDescription(
      "Administers an analytics workspace; wire-compatible with PostHog's management API. Authorize with a personal " +
        'API key (`phx_...`). Paths end with a slash. Lists come in pages. Errors have one shape everywhere.',
    )
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A personal API key.' }, 'personalApiKey')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (controller, method) => operationId(controller, method),
    extraModels: [ErrorResponse],
  });
  const routes = app.get(RouteTable).routes();
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      const route = routes.find(
        (known) => known.method.toLowerCase() === method && templateOf(known) === path,
      );
      if (!operation || !route) continue;
      addTenants(operation, route);
      addErrors(operation, route);
    }
    paths[`${path}/`] = item;
  }
  document.paths = paths;
  document.components = {
    ...document.components,
    responses: Object.fromEntries(
      Object.values(ERRORS).map(({ name, description }) => [
        name,
        { description, content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorResponse) } } } },
      ]),
    ),
  };
  return document;
}

/** `BatchExportsController.pause` is `batchExportsPause`. */
function operationId(controller: string, method: string): string {
  const subject = controller.replace(/Controller$/, '');
  return (
    subject.charAt(0).toLowerCase() + subject.slice(1) + method.charAt(0).toUpperCase() + method.slice(1)
  );
}

const templateOf = ({ path }: Route): string => path.replace(/:(\w+)/g, '{$1}');

const TENANTS: Record<TenantOfPath['kind'], string> = {
  organization: 'UUID of an organization you belong to, or `@current`.',
  project: 'Id of a project of an organization you belong to, or `@current`.',
};

/** From the route, not from decorators: those on a class do not reach the methods that it inherits. */
function addTenants(operation: Operation, { tenants }: Route): void {
  const parameters = tenants.map(({ kind, param }) => ({
    name: param,
    in: 'path' as const,
    required: true,
    description: TENANTS[kind],
    schema: { type: 'string' as const, example: '@current' },
  }));
  operation.parameters = [...parameters, ...(operation.parameters ?? [])];
}

function addErrors(operation: Operation, route: Route): void {
  const parameters = operation.parameters ?? [];
  const has = (place: string) => parameters.some((parameter) => 'in' in parameter && parameter.in === place);
  // A body that cannot be read is refused, whether the operation needs one or not.
  const body = ['POST', 'PUT', 'PATCH'].includes(route.method);
  const scoped = typeof route.access === 'object';
  const statuses: Array<keyof typeof ERRORS> = [
    ...(body || has('query') ? [400 as const] : []),
    ...(route.access === 'public' ? [] : [401 as const]),
    ...(scoped || route.tenants.length > 0 || route.levels.length > 0 || route.needsPluginsAccess
      ? [403 as const]
      : []),
    ...(has('path') ? [404 as const] : []),
    ...(body ? [413 as const, 415 as const] : []),
    500,
    503,
  ];
  for (const status of statuses) {
    operation.responses[status] ??= { $ref: `#/components/responses/${ERRORS[status].name}` };
  }
}
