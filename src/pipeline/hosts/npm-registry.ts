import { Injectable } from '@nestjs/common';
import { checkData } from 'ssri';
import { Settings } from '../../config/settings';
import type { NpmPackage, PluginAddress } from '../domain/plugin-address';
import { type Newest, PluginHost, type PluginRelease } from '../domain/plugin-host';
import type { HostAnswer } from './host-connection';
import { HostLine } from './host-line';
import { HostTrouble } from './host-trouble';
import { unpack } from './unpack';

/** What npm asks a registry for when it installs. */
const ABBREVIATED = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*';

/** What pacote says of a package's version; the types of pacote 11 do not know all of pacote 21. */
interface RegistryFetcher {
  readonly registry: string;
  readonly packumentUrl: string;
  packument(): Promise<unknown>;
  manifest(): Promise<{
    readonly version: string;
    readonly _resolved?: string;
    readonly _integrity?: string;
  }>;
}

interface Pacote {
  readonly RegistryFetcher: new (spec: string, options: object) => RegistryFetcher;
  readonly RemoteFetcher: new (spec: string, options: object) => { readonly resolved: string };
}

const VERSION = /^[\x21-\x7e]{1,200}$/;

/** pacote's words for a version that is not there, or not to be had. */
const NO_SUCH_VERSION = ['ETARGET', 'ENOVERSIONS', 'E403'];

/**
 * The npm registry. What a package consists of, which version is meant and what its hash must be is worked out by
 * pacote, as npm does it; the bytes come through our own connection, which bounds them (ADR 17). Scripts never run.
 */
@Injectable()
export class NpmRegistry extends PluginHost<NpmPackage> {
  constructor(
    private readonly settings: Settings,
    private readonly line: HostLine,
  ) {
    super();
  }

  newest(address: PluginAddress, place: NpmPackage, known: Newest | null): Promise<Newest> {
    return this.line.within(address, async (connection) => {
      const { fetcher, question } = await this.prepare(address, place);
      const answer = await connection.getUnless(
        known?.etag ?? null,
        fetcher.packumentUrl,
        question,
        this.line.limits.answer,
      );
      if (!answer && known) return known;
      const { version } = await pick(fetcher, answer);
      return { tag: version, etag: answer?.etag ?? null };
    });
  }

  fetch(address: PluginAddress, place: NpmPackage): Promise<PluginRelease> {
    return this.line.within(address, async (connection) => {
      const { fetcher, question, locate } = await this.prepare(address, place);
      const { limits } = this.line;
      const packument = await connection.get(fetcher.packumentUrl, question, limits.answer);
      const { version, _resolved = '', _integrity = '' } = await pick(fetcher, packument);
      const { credential } = question;
      const archive = await connection.get(locate(_resolved), { credential }, limits.packed);
      if (!checkData(archive.bytes, _integrity)) {
        throw new HostTrouble('failed', 'the hash of its archive is not the announced one');
      }
      return { tag: version, files: await unpack(archive.bytes, '', limits, connection.signal) };
    });
  }

  private async prepare({ privateToken }: PluginAddress, { name, version }: NpmPackage) {
    const pacote = (await import('pacote')).default as unknown as Pacote;
    const options = this.settings.npmRegistryUrl === null ? {} : { registry: this.settings.npmRegistryUrl };
    const fetcher = fetcherOf(pacote, `${name}@${version ?? 'latest'}`, options);
    const { origin } = new URL(fetcher.registry);
    const credential = privateToken === null ? null : { origin, token: privateToken };
    return {
      fetcher,
      question: { accept: ABBREVIATED, credential },
      locate: (tarball: string) => located(pacote, tarball, options),
    };
  }
}

/** @throws HostTrouble for what npm takes for no package of a registry, such as a name that no package may have */
function fetcherOf(pacote: Pacote, spec: string, options: object): RegistryFetcher {
  try {
    return new pacote.RegistryFetcher(spec, options);
  } catch {
    throw new HostTrouble('absent', 'no package');
  }
}

/**
 * Where a tarball is, as npm finds it: a mirror may still name the tarballs of the registry that it copies.
 * @throws HostTrouble for what npm takes for something else than a tarball, such as a git repository
 */
function located(pacote: Pacote, tarball: string, options: object): string {
  try {
    return new pacote.RemoteFetcher(tarball, options).resolved;
  } catch {
    throw new HostTrouble('failed', 'its answer describes no package');
  }
}

/** @throws HostTrouble when there is no such version, or the answer is no package */
async function pick(
  fetcher: RegistryFetcher,
  answer: HostAnswer | null,
): ReturnType<RegistryFetcher['manifest']> {
  try {
    const packument: unknown = JSON.parse(answer?.bytes.toString() ?? '');
    fetcher.packument = async () => packument;
    const manifest = await fetcher.manifest();
    if (VERSION.test(manifest.version) && /^https?:\/\//.test(manifest._resolved ?? '')) return manifest;
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (NO_SUCH_VERSION.includes(code)) throw new HostTrouble('absent', code);
  }
  throw new HostTrouble('failed', 'its answer describes no package');
}
