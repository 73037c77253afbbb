import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { type KnownHosts, PluginAddress, type PluginPlace, PUBLIC_HOSTS } from '../domain/plugin-address';
import type { Newest, PluginHost, PluginRelease } from '../domain/plugin-host';
import { GitHub } from './github';
import { GitLab } from './gitlab';
import { NpmRegistry } from './npm-registry';
import { PluginFolders } from './plugin-folders';
import { WebServer } from './web-server';

/** All hosts that plugins come from, behind their addresses. */
@Injectable()
export class PluginHosts {
  private readonly known: KnownHosts;
  private readonly hosts: Record<PluginPlace['kind'], PluginHost>;

  constructor(
    settings: Settings,
    npm: NpmRegistry,
    github: GitHub,
    gitlab: GitLab,
    tarball: WebServer,
    folder: PluginFolders,
  ) {
    this.hosts = { npm, github, gitlab, tarball, folder };
    this.known = {
      github: [...PUBLIC_HOSTS.github, new URL(settings.githubApiUrl).host],
      gitlab: [...PUBLIC_HOSTS.gitlab, new URL(settings.gitlabApiUrl).host],
      pluginDir: settings.pluginDir,
    };
  }

  /** @throws NoPluginAddress, NoPluginInFolder */
  addressOf(url: string): PluginAddress {
    return PluginAddress.parse(url, this.known);
  }

  /** As `PluginHost.newest`. */
  newest(address: PluginAddress, known: Newest | null): Promise<Newest> {
    return this.hosts[address.place.kind].newest(address, address.place, known);
  }

  /** As `PluginHost.fetch`. */
  fetch(address: PluginAddress): Promise<PluginRelease> {
    return this.hosts[address.place.kind].fetch(address, address.place);
  }
}
