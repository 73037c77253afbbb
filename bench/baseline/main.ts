import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { csvOf, type Json } from './csv';
import { Database, type JsonBy } from './database';
import {
  ACTION,
  ACTIONS,
  BATCH_EXPORTS,
  KEY_CHECK,
  type ListSource,
  MEMBERS,
  ORGANIZATION,
} from './statements';
import { type ActionBody, createAction, updateAction } from './writes';

/**
 * What a server costs without a framework: node:http and pg, two statements for a read (the key check, and what is
 * asked for), the same answers. It checks what makes the answer right (key, scope, tenant), and no input.
 */

const database = new Database(
  process.env.DATABASE_URL ?? '',
  Number(process.env.DATABASE_POOL_SIZE ?? 10),
  process.env.JSON_BY as JsonBy,
);

interface Caller {
  readonly key_id: string;
  readonly scopes: readonly string[];
  readonly user_id: number;
  readonly good: boolean;
  readonly organizations: readonly string[];
  readonly organization_of_project: string | null;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Record<string, string>;
}

type Kind = 'actions' | 'batch_exports' | 'members' | undefined;

interface Asked {
  readonly request: IncomingMessage;
  readonly caller: Caller;
  /** The path and its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly organizationId: string;
  readonly projectId: number;
  /** Of an action. */
  readonly id: number;
}

const ORGANIZATION_PATH = /^\/api\/organizations\/([^/]+)\/(?:(members)\/)?$/;
const PROJECT_PATH = /^\/api\/projects\/(\d+)\/(actions|batch_exports)\/(?:(\d+)\/)?$/;
const LISTS = { actions: ACTIONS, batch_exports: BATCH_EXPORTS, members: MEMBERS };
const SCOPES = { actions: 'action', batch_exports: 'batch_export', members: 'organization_member' };

const error = (status: number, type: string, code: string, detail: string): Answer => ({
  status,
  body: JSON.stringify({ type, code, detail, attr: null }),
  ...(status === 401 ? { headers: { 'WWW-Authenticate': 'Bearer' } } : {}),
});

const NO_KEY = error(
  401,
  'authentication_error',
  'not_authenticated',
  'Authentication credentials were not provided.',
);
const WRONG_KEY = error(401, 'authentication_error', 'authentication_failed', 'Invalid key.');
const NO_SCOPE = error(403, 'authentication_error', 'permission_denied', 'API key missing required scope');
const NOT_FOUND = error(404, 'invalid_request', 'not_found', 'Not found.');

async function answer(request: IncomingMessage): Promise<Answer> {
  const path = request.url ?? '';
  const [route = ''] = path.split('?', 1);
  const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (key === undefined) return NO_KEY;
  const [, organization = null, members] = ORGANIZATION_PATH.exec(route) ?? [];
  const [, project, things = members, id] = PROJECT_PATH.exec(route) ?? [];
  const keyHash = hash('sha256', key, 'buffer');
  const [caller] = await database.rows<Caller>(KEY_CHECK, [keyHash, project ?? null]);
  if (!caller?.good) return WRONG_KEY;
  const kind = things as Kind;
  const scope = `${kind ? SCOPES[kind] : 'organization'}:${request.method === 'GET' ? 'read' : 'write'}`;
  if (!caller.scopes.includes('*') && !caller.scopes.includes(scope)) return NO_SCOPE;
  const organizationId = organization ?? caller.organization_of_project;
  if (organizationId === null || !caller.organizations.includes(organizationId)) return NOT_FOUND;
  const query = new URLSearchParams(path.slice(route.length));
  return serve(kind, {
    request,
    caller,
    path,
    query,
    organizationId,
    projectId: Number(project),
    id: Number(id),
  });
}

async function serve(kind: Kind, asked: Asked): Promise<Answer> {
  const { request, caller, organizationId, projectId, id } = asked;
  if (request.method === 'GET') {
    if (kind === undefined)
      return resource(await database.one(ORGANIZATION, [organizationId, caller.user_id]));
    if (id > 0) return resource(await database.one(ACTION, [projectId, id]));
    return list(LISTS[kind], kind === 'members' ? organizationId : projectId, asked);
  }
  const writer = { userId: caller.user_id, keyId: caller.key_id, organizationId, projectId };
  const body = JSON.parse(await bodyOf(request)) as ActionBody;
  if (request.method === 'POST') return { status: 201, body: await createAction(database, writer, body) };
  return resource(await updateAction(database, writer, id, body));
}

function resource(json: string | null): Answer {
  if (json === null) return NOT_FOUND;
  const tag = `"${hash('sha1', json, 'base64url')}"`;
  return { status: 200, body: json, headers: { ETag: tag, 'Cache-Control': 'private, no-cache' } };
}

async function list(source: ListSource, tenant: unknown, { request, path, query }: Asked): Promise<Answer> {
  const offset = Number(query.get('offset') ?? 0);
  if (query.get('format') === 'csv') {
    const rows = await database.list<Record<string, Json>>(source, [tenant, query.get('limit'), offset]);
    return { status: 200, body: csvOf(rows), headers: { 'Content-Type': 'text/csv; charset=utf-8' } };
  }
  const limit = Math.min(Number(query.get('limit') ?? 100), 1000);
  const { count, results } = await database.page(source, [tenant, limit, offset]);
  const link = (to: number) => {
    query.set('limit', String(limit));
    query.set('offset', String(to));
    query.sort();
    return JSON.stringify(`http://${request.headers.host}${path.split('?', 1)[0]}?${query}`);
  };
  const next = offset + limit < count ? link(offset + limit) : null;
  const previous = offset > 0 ? link(Math.max(0, offset - limit)) : null;
  return {
    status: 200,
    body: `{"count":${count},"next":${next},"previous":${previous},"results":${results}}`,
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

const server = createServer((request, response) => {
  answer(request).then(
    (given) => send(response, given),
    (failure: Error) => {
      console.error(failure);
      send(response, error(500, 'server_error', 'error', 'A server error occurred.'));
    },
  );
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  // As the server says it, so that both are started in one way.
  console.log(`Hedgerow serves http://127.0.0.1:${port}/api/`);
});

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void database.end();
});
