import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Transaction } from '../../shared/persistence/transaction';
import type { Plugin } from '../domain/plugin';
import { type FileChange, PluginSource, SourceFile } from '../domain/plugin-source';

@Injectable()
export class PluginSourceRepository {
  constructor(private readonly transaction: Transaction) {}

  /** The source of a plugin that is locked: of two edits at once, the second sees the first. */
  async of({ id: pluginId }: Plugin): Promise<PluginSource> {
    return new PluginSource(pluginId, await this.transaction.manager.findBy(SourceFile, { pluginId }));
  }

  /** Writes these changes alone. */
  async save({ id: pluginId }: Plugin, source: PluginSource, changes: readonly FileChange[]): Promise<void> {
    const names = changes.map(({ filename }) => filename);
    const files = names.flatMap((name) => source.file(name) ?? []);
    const deleted = names.filter((name) => source.file(name) === null);
    await this.transaction.manager.save(SourceFile, files);
    if (deleted.length > 0) {
      await this.transaction.manager.delete(SourceFile, { pluginId, filename: In(deleted) });
    }
  }
}
