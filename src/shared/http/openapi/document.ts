import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, getSchemaPath, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Access, TenantOfPath } from '../access';
import type { ErrorEnvelope } from '../error.filter';
import { type Route, RouteTable } from '../route-table';
import { ErrorResponse } from './error.response';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const example = (
  type: ErrorEnvelope['type'],
  code: string,
  detail: string,
  attr: string | null = null,
): ErrorEnvelope => ({ type, code, detail, attr });

/** The error answers that follow from what a route declares; each has its text once, in `components.responses`. */
const ERRORS = {
  400: {
    name: 'Invalid',
    description: 'A field, a parameter or the body is not valid; `attr` names it.',
    example: example('validation_error', 'required', 'This field is required.', 'name'),
  },
  401: {
    name: 'Unauthenticated',
    description: 'The key is missing, unknown, expired or deleted.',
    example: example(
      'authentication_error',
      'not_authenticated',
      'Authentication credentials were not provided.',
    ),
  },
  403: {
    name: 'Forbidden',
    description: 'The key lacks the scope, or the caller the level, for this.',
    example: example(
      'authentication_error',
      'permission_denied',
      'You do not have permission to perform this action.',
    ),
  },
  404: {
    name: 'NotFound',
    description: 'There is no such thing within the reach of the caller.',
    example: example('invalid_request', 'not_found', 'Not found.'),
  },
  412: {
    name: 'PreconditionFailed',
    description: 'The resource has changed since: its ETag is none of If-Match.',
    example: example(
      'invalid_request',
      'precondition_failed',
      'The resource has changed since: its ETag is none of If-Match. Read it again.',
    ),
  },
  413: {
    name: 'TooLarge',
    description: 'The body is larger than 1 MiB.',
    example: example('invalid_request', 'request_too_large', 'The request body is larger than 1 MiB.'),
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not JSON.',
    example: example(
      'invalid_request',
      'unsupported_media_type',
      'Unsupported media type "text/plain" in request.',
    ),
  },
  422: {
    name: 'IdempotencyKeyReused',
    description: 'The Idempotency-Key named a request with another body or query.',
    example: example(
      'invalid_request',
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body or query. Send the same again, or another key.',
    ),
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests; try again after Retry-After seconds. Only where the server limits them.',
    example: example(
      'throttled_error',
      'throttled',
      'Request was throttled. Expected available in 12 seconds.',
    ),
  },
  500: {
    name: 'ServerError',
    description: 'The server failed; its log says why, under the X-Request-Id of the answer.',
    example: example('server_error', 'error', 'A server error occurred.'),
  },
  503: {
    name: 'Unavailable',
    description:
      'The server cannot serve now, since it has too much to do or its database does not answer; try again after ' +
      'Retry-After seconds.',
    example: example('server_error', 'service_unavailable', 'The server has too much to do.'),
  },
} as const;

/** In the order in which Swagger UI shows them: first who calls, then the workspace from the top down. */
const TAGS: Record<string, string> = {
  Account: 'Who you are, and where `@current` leads',
  'Personal API keys': 'Your keys and their scopes',
  Organizations: 'What everything else belongs to',
  Members: 'Who belongs to an organization, and their level',
  Invites: 'Asking people in',
  'Sign-up': 'Accepting an invite',
  Domains: 'E-mail domains of an organization, verified by DNS',
  Projects: 'The projects of an organization',
  Capture: 'Where analytics SDKs send events to',
  Actions: 'What counts as something that a user did',
  'Batch exports': 'Scheduled exports of events and persons',
  'Pipeline destinations': 'Plugins that send events elsewhere',
  'Pipeline transformations': 'Plugins that change events on their way in',
  'Pipeline import apps': 'Plugins that fetch events',
  'Pipeline frontend apps': 'Plugins that run in the browser',
  'Plugin configs': 'How a project uses plugins',
};

/**
 * The OpenAPI document of the running routes, with what the routes enforce and so need not say twice. The paths
 * start below `prefix`, the path of the public URL.
 */
export function createDocument(app: INestApplication, prefix = ''): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Hedgerow')
    .setDescription(
      "Administers an analytics workspace; wire-compatible with PostHog's management API. Authorize with a personal " +
        'API key (`phx_...`). Paths end with a slash. Lists come in pages. Errors have one shape everywhere.',
    )
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A personal API key.' }, 'personalApiKey');
  for (const [tag, description] of Object.entries(TAGS)) config.addTag(tag, description);
  if (prefix !== '') config.addServer(prefix);
  const document = SwaggerModule.createDocument(app, config.build(), {
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
      addAccess(operation, route);
      addHeaders(operation, route);
      addErrors(operation, route);
    }
    paths[`${path}/`] = item;
  }
  document.paths = paths;
  document.components = {
    ...document.components,
    schemas: withoutDefaultsOfUpdates(document.components?.schemas ?? {}),
    responses: Object.fromEntries(
      Object.values(ERRORS).map(({ name, description, example }) => [
        name,
        {
          description,
          content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorResponse) }, example } },
        },
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

const ACCESS_TEXT: Record<Exclude<Access, object>, string> = {
  'any key': 'Any key will do.',
  'optional key': 'Needs no key; one that is sent must be valid.',
  public: 'Needs no key.',
};

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: false,
  description,
  schema: { type: 'string' as const, example },
});

const TAG = '"Zm9yIGV4YW1wbGUgYSBoYXNo"';
const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Names the request, so that it can be sent again: the answer of the first is kept for 24 hours and given again.',
  '0195b1f4-7c1c-7000-8000-0123456789ab',
);
const IF_MATCH = header(
  'If-Match',
  'The `ETag` of what is to be changed; 412 when it is another by now.',
  TAG,
);
const IF_NONE_MATCH = header(
  'If-None-Match',
  'The `ETag` of what you have; 304 when it is still the same.',
  TAG,
);

/** The headers that make requests safe to repeat, and to make at once. */
function addHeaders(operation: Operation, { path, method, conditional, retrieves }: Route): void {
  const headers = [
    ...(method === 'POST' && path.startsWith('/api/') ? [IDEMPOTENCY_KEY] : []),
    ...(conditional ? [IF_MATCH] : []),
    ...(retrieves ? [IF_NONE_MATCH] : []),
  ];
  operation.parameters = [...(operation.parameters ?? []), ...headers];
  if (retrieves) operation.responses[304] = { description: 'It is still what If-None-Match names.' };
}

/** Bearer security has no place for scopes in OpenAPI 3.0, and Swagger UI shows no extensions. */
function addAccess(operation: Operation, { access }: Route): void {
  const text = typeof access === 'object' ? `Needs the scope \`${access.scope}\`.` : ACCESS_TEXT[access];
  operation.description = [operation.description, text].filter(Boolean).join('\n\n');
}

/** What a PATCH leaves out stays as it is: a client that filled in a default would change it. */
function withoutDefaultsOfUpdates(schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      if (!/^Update\w+Request$/.test(name) || !('properties' in schema)) return [name, schema];
      const properties = Object.entries(schema.properties ?? {}).map(([field, property]) => {
        const { default: _, ...others } = property as { default?: unknown };
        return [field, others];
      });
      return [name, { ...schema, properties: Object.fromEntries(properties) }];
    }),
  );
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
    ...(route.conditional ? [412 as const] : []),
    ...(body ? [413 as const, 415 as const] : []),
    ...(route.method === 'POST' && route.path.startsWith('/api/') ? [422 as const] : []),
    ...(route.path.startsWith('/api/') ? [429 as const] : []),
    500,
    503,
  ];
  for (const status of statuses) {
    operation.responses[status] ??= { $ref: `#/components/responses/${ERRORS[status].name}` };
  }
}
