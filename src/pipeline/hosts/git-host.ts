import type { PluginAddress, Repository } from '../domain/plugin-address';
import { type Newest, PluginHost, type PluginRelease } from '../domain/plugin-host';
import type { Credential, HostConnection, Question } from './host-connection';
import type { HostLine } from './host-line';
import { HostTrouble } from './host-trouble';
import { unpack } from './unpack';

/** How many names of a branch are tried in an address that a folder may end. */
const MOST_NAMES = 10;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** A commit, and the folder of it that the address means. */
interface Commit extends Newest {
  readonly tag: string;
  readonly folder: string;
}

/**
 * A host of git repositories, asked through its HTTP API: for the commit that a name means, and for the archive of a
 * commit. Git itself is not run.
 */
export abstract class GitHost extends PluginHost<Repository> {
  /** Opens repositories for which no other token is given. */
  protected abstract readonly token: string | null;
  /** Without a slash at the end. */
  protected abstract readonly api: string;
  /** The media type to ask for a commit. */
  protected abstract readonly commitType: string;

  constructor(protected readonly line: HostLine) {
    super();
  }

  /** Below the API: where the commit is that a branch, a tag or `HEAD` means. */
  protected abstract commitPath(repository: string, name: string): string;

  /** The hash of the commit in the answer there. */
  protected abstract commitIn(answer: string): unknown;

  /** Below the API: a gzipped tar archive of a commit, all in one folder. */
  protected abstract archivePath(repository: string, commit: string): string;

  newest(address: PluginAddress, place: Repository, known: Newest | null): Promise<Newest> {
    return this.line.within(address, (connection) => this.find(connection, address, place, known));
  }

  fetch(address: PluginAddress, place: Repository): Promise<PluginRelease> {
    return this.line.within(address, async (connection) => {
      const { tag, folder } = await this.find(connection, address, place, null);
      const { limits } = this.line;
      const url = this.api + this.archivePath(place.path, tag);
      const archive = await connection.get(url, { credential: this.credentialOf(address) }, limits.packed);
      return { tag, files: await unpack(archive.bytes, folder, limits, connection.signal) };
    });
  }

  private async find(
    connection: HostConnection,
    address: PluginAddress,
    { path, at }: Repository,
    known: Newest | null,
  ): Promise<Commit> {
    const question = { accept: this.commitType, credential: this.credentialOf(address) };
    for (const [name, folder] of namesIn(at)) {
      const found = await this.commitOf(connection, path, name, question, known);
      if (found) return { ...found, folder };
    }
    throw new HostTrouble('absent', 'no such commit');
  }

  /** Null when there is no such name. */
  private async commitOf(
    connection: HostConnection,
    repository: string,
    name: string,
    question: Question,
    known: Newest | null,
  ): Promise<Omit<Commit, 'folder'> | null> {
    try {
      const url = this.api + this.commitPath(repository, name);
      const { limits } = this.line;
      const answer = await connection.getUnless(known?.etag ?? null, url, question, limits.answer);
      if (!answer) return known?.tag ? { tag: known.tag, etag: known.etag } : null;
      const tag = this.commitIn(answer.bytes.toString());
      if (typeof tag === 'string' && COMMIT.test(tag)) return { tag, etag: answer.etag };
      throw new HostTrouble('failed', 'its answer names no commit');
    } catch (error) {
      if (error instanceof HostTrouble && error.kind === 'absent') return null;
      throw error;
    }
  }

  private credentialOf({ privateToken }: PluginAddress): Credential | null {
    const token = privateToken ?? this.token;
    return token === null ? null : { origin: new URL(this.api).origin, token };
  }
}

/** What may be the name of a branch, tag or commit, shortest first, and the folder that is left over. */
function namesIn(at: Repository['at']): (readonly [name: string, folder: string])[] {
  if (!at) return [['HEAD', '']];
  if (!at.mayNameFolder) return [[at.text, '']];
  const segments = at.text.split('/').filter((segment) => segment !== '');
  return segments
    .slice(0, MOST_NAMES)
    .map((_, index) => [segments.slice(0, index + 1).join('/'), segments.slice(index + 1).join('/')]);
}
