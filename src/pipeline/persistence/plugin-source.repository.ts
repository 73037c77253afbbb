import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Transaction } from '../../shared/persistence/transaction';
import type { Plugin } from '../domain/plugin';
import { PluginSource, SourceFile } from '../domain/plugin-source';

@Injectable()
export class PluginSourceRepository {
  constructor(private readonly transaction: Transaction) {}

  /** The source of a plugin that is locked: of two edits at once, the second sees the first. */
  async of({ id: pluginId }: Plugin): Promise<PluginSource> {
    return new PluginSource(pluginId, await this.transaction.manager.findBy(SourceFile, { pluginId }));
  }

  /** Writes these files alone; those that the source does not have are deleted. */
  async save({ id: pluginId }: Plugin, source: PluginSource, names: readonly string[]): Promise<void> {
    const files = names.flatMap((name) => source.file(name) ?? []);
    const deleted = names.filter((name) => source.file(name) === null);
    await this.transaction.manager.save(SourceFile, files);
    if (deleted.length > 0) {
      await this.transaction.manager.delete(SourceFile, { pluginId, filename: In(deleted) });
    }
  }
}
