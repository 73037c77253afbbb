import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import type { PluginAddress, PluginPlace } from '../domain/plugin-address';
import { NoPluginInFolder, UnfitPlugin } from '../domain/plugin-errors';
import { isSource, MANIFEST, relativeTo, textOf } from '../domain/plugin-files';
import { type Newest, PluginHost, type PluginRelease } from '../domain/plugin-host';
import { refuseTooMuchSource } from '../domain/plugin-source';
import { FetchLimits } from './fetch-limits';

type Folder = Extract<PluginPlace, { kind: 'folder' }>;

/** The folders below `PLUGIN_DIR`, on the disk of the server. Their plugins have no versions. */
@Injectable()
export class PluginFolders extends PluginHost<Folder> {
  constructor(
    private readonly settings: Settings,
    private readonly limits: FetchLimits,
  ) {
    super();
  }

  async newest(): Promise<Newest> {
    return { tag: null, etag: null };
  }

  async fetch(_address: PluginAddress, { path }: Folder): Promise<PluginRelease> {
    const root = await this.rootOf(path);
    const files = await this.read(root);
    if (!files.has(MANIFEST)) throw new NoPluginInFolder(path);
    return { tag: null, files: relativeTo('', files) };
  }

  /** Symbolic links may lead to the folder, but not out of the folder of plugins. */
  private async rootOf(path: string): Promise<string> {
    try {
      const top = await realpath(this.settings.pluginDir ?? '');
      const root = await realpath(join(top, path));
      if (root.startsWith(top + sep)) return root;
    } catch {
      // There is no such folder: what it is that is missing is nobody's business.
    }
    throw new NoPluginInFolder(path);
  }

  private async read(root: string): Promise<Map<string, string>> {
    const files = new Map<string, string>();
    const folders = [''];
    let entries = 0;
    let kept = 0;
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const entry of await this.entriesOf(root, folder)) {
        entries += 1;
        if (entries > this.limits.entries) {
          throw new UnfitPlugin(`The plugin has more than ${this.limits.entries} files and folders.`);
        }
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
        if (entry.isDirectory()) folders.push(path);
        else if (!entry.isFile()) throw new UnfitPlugin(`The plugin has something else than files: ${path}`);
        else if (isSource(path)) {
          const text = await this.textOf(root, path);
          files.set(path, text);
          kept += text.length;
          refuseTooMuchSource(0, kept);
        }
      }
    }
    return files;
  }

  private async entriesOf(root: string, folder: string) {
    try {
      return await readdir(join(root, folder), { withFileTypes: true });
    } catch {
      throw new UnfitPlugin(`The folder of the plugin cannot be read: ${folder || '.'}`);
    }
  }

  private async textOf(root: string, path: string): Promise<string> {
    const file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => {
      throw new UnfitPlugin(`The plugin has a file that cannot be read: ${path}`);
    });
    try {
      if ((await file.stat()).size > this.limits.unpacked) {
        throw new UnfitPlugin(`The plugin has more than ${this.limits.unpacked} bytes.`);
      }
      return textOf(path, await file.readFile());
    } finally {
      await file.close();
    }
  }
}
