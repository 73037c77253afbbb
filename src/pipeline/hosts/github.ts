import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { GitHost } from './git-host';
import { HostLine } from './host-line';

/** GitHub, or a GitHub Enterprise Server at `GITHUB_API_URL`. */
@Injectable()
export class GitHub extends GitHost {
  protected readonly api: string;
  protected readonly token: string | null;
  /** The hash alone, and not all that the commit changed. */
  protected readonly commitType = 'application/vnd.github.sha';

  constructor(settings: Settings, line: HostLine) {
    super(line);
    this.api = settings.githubApiUrl;
    this.token = settings.githubToken;
  }

  protected commitPath(repository: string, name: string): string {
    return `/repos/${repository}/commits/${name.split('/').map(encodeURIComponent).join('/')}`;
  }

  protected commitIn(answer: string): unknown {
    return answer.trim();
  }

  protected archivePath(repository: string, commit: string): string {
    return `/repos/${repository}/tarball/${commit}`;
  }
}
