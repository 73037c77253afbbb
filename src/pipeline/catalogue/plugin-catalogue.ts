import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { Clock } from '../../shared/domain/clock';
import { DomainError } from '../../shared/domain/domain-error';
import { Representation } from '../../shared/domain/representation';
import { AddressPolicy } from '../../shared/net/address-policy';
import { type CataloguedPlugin, readCatalogued } from '../domain/catalogued-plugin';
import shipped from './catalogue.json';
import { DownloadFailed, download } from './download';

/** In milliseconds. */
const FRESH_FOR = 30 * 60_000;
const RETRY_AFTER = 60_000;
const TIMEOUT = 10_000;
/** In bytes. */
const LARGEST = 2 * 1024 * 1024;
const NAMED_ENTRIES = 10;

/** The source of the catalogue does not answer, and never has since the server started: 503. */
export class CatalogueUnavailable extends DomainError {
  constructor() {
    super('unavailable', 'catalogue_unavailable', 'The catalogue of plugins cannot be read now.');
  }
}

interface Copy {
  readonly catalogue: Representation;
  readonly etag: string | null;
}

/**
 * The catalogue of known plugins (PLUG-29): the one at `PLUGIN_REPOSITORY_URL`, kept for 30 minutes, and longer while
 * its source is down; without that setting the one that comes with the server.
 */
@Injectable()
export class PluginCatalogue {
  private readonly logger = new Logger(PluginCatalogue.name);
  private readonly policy: AddressPolicy;
  private copy: Copy | null = null;
  /** When the source is asked next, in milliseconds since the epoch. */
  private askAt = 0;
  private asking: Promise<void> | null = null;

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    this.policy = new AddressPolicy(settings.allowPrivatePluginSources);
  }

  /** An array of the entries. @throws CatalogueUnavailable */
  async list(): Promise<Representation> {
    const { pluginRepositoryUrl: url } = this.settings;
    if (url === null) return SHIPPED;
    if (this.clock.now().getTime() >= this.askAt) {
      // Who comes meanwhile waits for the same answer.
      this.asking ??= this.ask(url).finally(() => {
        this.asking = null;
      });
      await this.asking;
    }
    if (!this.copy) throw new CatalogueUnavailable();
    return this.copy.catalogue;
  }

  private async ask(url: string): Promise<void> {
    const { policy } = this;
    let keptFor = FRESH_FOR;
    try {
      const found = await download(url, this.copy?.etag ?? null, {
        policy,
        timeout: TIMEOUT,
        largest: LARGEST,
      });
      if (found) this.copy = { catalogue: represented(this.read(found.text)), etag: found.etag };
    } catch (error) {
      if (!(error instanceof DownloadFailed)) throw error;
      this.logger.warn(
        `The catalogue of plugins (PLUGIN_REPOSITORY_URL) could not be read: ${error.message}`,
      );
      keptFor = RETRY_AFTER;
    }
    this.askAt = this.clock.now().getTime() + keptFor;
  }

  /** @throws DownloadFailed for a text that is no list at all; entries that are malformed are left out. */
  private read(text: string): CataloguedPlugin[] {
    const entries = listIn(text);
    const wrong: string[] = [];
    const plugins = entries.flatMap((entry, index) => {
      const read = readCatalogued(entry);
      if (!('wrong' in read)) return [read];
      wrong.push(`${index} (${read.wrong})`);
      return [];
    });
    if (wrong.length > 0) {
      const named = wrong.slice(0, NAMED_ENTRIES).join(', ');
      this.logger.warn(
        `The catalogue of plugins has ${wrong.length} malformed of ${entries.length} entries, which are left out: ${named}`,
      );
    }
    return plugins;
  }
}

function listIn(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch {
    // Told below, as any other text that is no list.
  }
  throw new DownloadFailed('it is no JSON list');
}

const represented = (plugins: unknown): Representation => new Representation(JSON.stringify(plugins));

/** Its entries are checked by a test. */
const SHIPPED = represented(shipped);
