import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { GitHost } from './git-host';
import { HostLine } from './host-line';
import { HostTrouble } from './host-trouble';

/** GitLab, or a server of one's own at `GITLAB_API_URL`. */
@Injectable()
export class GitLab extends GitHost {
  protected readonly api: string;
  protected readonly token: string | null;
  protected readonly commitType = 'application/json';

  constructor(settings: Settings, line: HostLine) {
    super(line);
    this.api = settings.gitlabApiUrl;
    this.token = settings.gitlabToken;
  }

  protected commitPath(repository: string, name: string): string {
    return `${pathOf(repository)}/commits/${encodeURIComponent(name)}`;
  }

  protected commitIn(answer: string): unknown {
    try {
      return (JSON.parse(answer) as { id?: unknown } | null)?.id;
    } catch {
      throw new HostTrouble('failed', 'its answer is not JSON');
    }
  }

  protected archivePath(repository: string, commit: string): string {
    return `${pathOf(repository)}/archive.tar.gz?sha=${commit}`;
  }
}

const pathOf = (repository: string): string => `/projects/${encodeURIComponent(repository)}/repository`;
