import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface AskedFor {
  readonly host: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export const shaOf = (text: string): string => hash('sha1', text, 'hex');
export const integrityOf = (archive: Buffer): string => `sha512-${hash('sha512', archive, 'base64')}`;

/** The npm registry, GitHub and GitLab, as far as plugins are fetched from them, on one local port. */
export class PluginHostServer {
  /** What was asked for, oldest first. */
  readonly asked: AskedFor[] = [];
  private readonly handlers = new Map<string, Handler>();
  private readonly server = createServer((request, response) => this.answer(request, response));

  static async start(): Promise<PluginHostServer> {
    const host = new PluginHostServer();
    host.server.listen(0, '127.0.0.1');
    await once(host.server, 'listening');
    return host;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The same server under another name, and so another host. */
  get otherUrl(): string {
    return `http://localhost:${this.port}`;
  }

  get env(): NodeJS.ProcessEnv {
    return {
      ALLOW_PRIVATE_PLUGIN_SOURCES: 'true',
      NPM_REGISTRY_URL: `${this.url}/npm/`,
      GITHUB_API_URL: `${this.url}/github`,
      GITLAB_API_URL: `${this.url}/gitlab/api/v4`,
    };
  }

  /** Forgets what was asked for. @returns what it was */
  forget(): string[] {
    return this.asked.splice(0).map(({ path }) => path);
  }

  /** Answers a path, with its query, in this way. */
  on(path: string, handler: Handler): void {
    this.handlers.set(path, handler);
  }

  /** A package whose tags are its versions' names; the last version is the latest. */
  npm(name: string, versions: Record<string, { archive: Buffer; integrity?: string }>): void {
    const path = `/npm/${name.replace('/', '%2f')}`;
    const files = `/npm/${name}/-/`;
    const latest = Object.keys(versions).at(-1) ?? '';
    const described = Object.entries(versions).map(
      ([version, { archive, integrity = integrityOf(archive) }]) => {
        const file = `${files}${name.split('/').at(-1)}-${version}.tgz`;
        this.on(file, (_, response) => response.end(archive));
        return [version, { name, version, dist: { tarball: this.url + file, integrity } }];
      },
    );
    this.on(path, json({ name, 'dist-tags': { latest }, versions: Object.fromEntries(described) }));
  }

  /** A repository whose names (`HEAD`, branches, tags) lead to commits, and these to archives. */
  github(repository: string, names: Record<string, string>, archives: Record<string, Buffer>): void {
    const base = `/github/repos/${repository}`;
    for (const [name, commit] of Object.entries(names)) {
      this.on(`${base}/commits/${name}`, (request, response) => {
        if (request.headers.accept !== 'application/vnd.github.sha') return response.writeHead(406).end();
        return tagged(request, response, `"${commit}"`, 'application/vnd.github.sha; charset=utf-8', commit);
      });
    }
    for (const [commit, archive] of Object.entries(archives)) {
      const place = `/codeload/${repository}/legacy.tar.gz/${commit}`;
      this.on(`${base}/tarball/${commit}`, redirect(this.otherUrl + place));
      this.on(place, (_, response) => response.end(archive));
    }
  }

  gitlab(project: string, names: Record<string, string>, archives: Record<string, Buffer>): void {
    const base = `/gitlab/api/v4/projects/${encodeURIComponent(project)}/repository`;
    for (const [name, commit] of Object.entries(names)) {
      const described = { id: commit, short_id: commit.slice(0, 8), title: 'A commit', parent_ids: [] };
      this.on(`${base}/commits/${encodeURIComponent(name)}`, json(described));
    }
    for (const [commit, archive] of Object.entries(archives)) {
      this.on(`${base}/archive.tar.gz?sha=${commit}`, (_, response) => response.end(archive));
    }
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.asked.push({ host: request.headers.host ?? '', path, headers: request.headers });
    const handler = this.handlers.get(path) ?? status(404, { message: 'Not Found' });
    handler(request, response);
  }
}

export const status =
  (code: number, body: unknown = { message: 'No' }, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(code, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

export const redirect =
  (location: string): Handler =>
  (_, response) => {
    response.writeHead(302, { Location: location }).end();
  };

/** Answers JSON, or 304 to who has it. */
export const json =
  (body: unknown): Handler =>
  (request, response) => {
    const text = JSON.stringify(body);
    tagged(request, response, `W/"${shaOf(text)}"`, 'application/json', text);
  };

function tagged(
  request: IncomingMessage,
  response: ServerResponse,
  etag: string,
  type: string,
  text: string,
): void {
  const isKnown = request.headers['if-none-match'] === etag;
  response
    .writeHead(isKnown ? 304 : 200, { 'Content-Type': type, ETag: etag })
    .end(isKnown ? undefined : text);
}
