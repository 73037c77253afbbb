import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PluginAddress, PluginPlace } from '../domain/plugin-address';
import { type Newest, PluginHost, type PluginRelease } from '../domain/plugin-host';
import type { Question } from './host-connection';
import { HostLine } from './host-line';
import { unpack } from './unpack';

/** Any server that has an archive. Nobody knows what it calls the version: the hash stands for it, as npm writes it. */
@Injectable()
export class WebServer extends PluginHost {
  constructor(private readonly line: HostLine) {
    super();
  }

  newest(address: PluginAddress, _place: PluginPlace, known: Newest | null): Promise<Newest> {
    return this.line.within(address, async (connection) => {
      const { packed } = this.line.limits;
      const archive = await connection.getUnless(
        known?.etag ?? null,
        address.url,
        questionOf(address),
        packed,
      );
      if (!archive && known) return known;
      return { tag: tagOf(archive?.bytes ?? Buffer.alloc(0)), etag: archive?.etag ?? null };
    });
  }

  fetch(address: PluginAddress): Promise<PluginRelease> {
    return this.line.within(address, async (connection) => {
      const { limits } = this.line;
      const { bytes } = await connection.get(address.url, questionOf(address), limits.packed);
      return { tag: tagOf(bytes), files: await unpack(bytes, '', limits, connection.signal) };
    });
  }
}

function questionOf({ url, privateToken: token }: PluginAddress): Question {
  return { credential: token === null ? null : { origin: new URL(url).origin, token } };
}

const tagOf = (archive: Buffer): string => `sha512-${hash('sha512', archive, 'base64')}`;
