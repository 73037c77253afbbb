import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Person, TestApi } from './api';
import { refusal } from './matchers';
import { PluginHostServer, shaOf } from './plugin-host-server';
import { packed } from './tarball';

export const COMMIT = [shaOf('one'), shaOf('two'), shaOf('three')] as const;
/** Code, and what it can do. */
export const CODE = 'export async function onEvent(event) {}\nexport const jobs = { greet: () => {} }\n';
export const CAN = { methods: ['onEvent'], scheduled_tasks: [], jobs: ['greet'] };
export const CANNOT = { methods: [], scheduled_tasks: [], jobs: [] };

export const manifestOf = (name: string, others: object = {}) => JSON.stringify({ name, ...others });
export const invalid = (detail: unknown) => refusal(400, 'invalid_input', detail, 'url');
export const unreachable = (url: string, reason: string) =>
  refusal(502, 'source_unavailable', `The plugin at "${url}" could not be fetched: ${reason}.`);
export const nothingAt = (url: string) =>
  invalid(`There is nothing at "${url}", or it needs another private_token.`);

/** A server, the hosts that its plugins come from, and somebody who installs them. */
export class PluginWorld {
  private serial = 0;

  private constructor(
    readonly api: TestApi,
    readonly hosts: PluginHostServer,
    readonly owner: Person,
    /** `PLUGIN_DIR` */
    readonly folder: string,
  ) {}

  static async start(): Promise<PluginWorld> {
    const hosts = await PluginHostServer.start();
    const folder = await mkdtemp(join(tmpdir(), 'hedgerow-plugins-'));
    const api = await TestApi.start({ ...hosts.env, PLUGIN_DIR: folder, GITHUB_TOKEN: 'of-the-server' });
    return new PluginWorld(api, hosts, await api.owner(), folder);
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await this.hosts.stop();
    await rm(this.folder, { recursive: true });
  }

  get path(): string {
    return this.owner.path('pipeline_destinations/');
  }

  newName = () => {
    this.serial += 1;
    return `plugin-${this.serial}`;
  };

  addressOf = (name: string) => `https://github.com/hedgerow/${name}`;

  /** A repository with a plugin whose newest commit this is. @returns its address */
  publish = (name: string, files: Record<string, string | Buffer>, commit: string = COMMIT[0]) => {
    this.hosts.github(`hedgerow/${name}`, { HEAD: commit }, { [commit]: packed(files, `${name}-${commit}`) });
    return this.addressOf(name);
  };

  /** Installs what must be possible to install. @returns the plugin, and its path */
  install = async (url: string, body: object = {}) => {
    const answer = await this.owner.post(this.path, { url, ...body });
    expect(answer).toMatchObject({ status: 201 });
    return { ...answer.body, one: `${this.path}${answer.body.id}/` };
  };

  check = (one: string) => this.owner.preferring.get(`${one}check_for_updates/`);
  upgrade = (one: string) => this.owner.preferring.post(`${one}upgrade/`);
  sourceOf = async (one: string) => (await this.owner.preferring.get(`${one}source/`)).body;

  activitiesOf = async (id: number) => {
    const { body } = await this.owner.preferring.get(`${this.path}activity/?limit=100`);
    return body.results.filter((entry: { item_id: string }) => entry.item_id === String(id));
  };

  /** All that is stored of plugins, to find that nothing has changed. */
  everything = () =>
    this.api.rows(`
      SELECT (SELECT json_agg(p ORDER BY id) FROM plugins p) AS plugins,
             (SELECT json_agg(f ORDER BY plugin_id, filename) FROM plugin_source_files f) AS files,
             (SELECT count(*)::int FROM activity_log) AS entries`);
}
