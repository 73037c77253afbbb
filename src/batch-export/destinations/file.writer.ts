import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { type Delivery, DeliveryFailed, type DeliveryProgress } from '../domain/delivery';
import type { Config } from '../domain/destination-rules';
import { codeOf } from './connection-errors';
import { DestinationWriter } from './destination-writer';
import { ExportFolder } from './files/export-folder';
import { OwnFailure, own, writeFiles } from './files/file-delivery';
import { fileFormatOf } from './files/file-format';
import { basic, FileNames } from './files/file-names';

/**
 * Writes files to `EXPORT_DIR/<project>/<export>/<prefix>/`. The export's id is part of the path so that no export can
 * take the place of another's files.
 */
@Injectable()
export class FileWriter extends DestinationWriter {
  constructor(private readonly settings: Settings) {
    super();
  }

  async write(
    config: Config,
    delivery: Delivery,
    progress: DeliveryProgress,
    signal: AbortSignal,
  ): Promise<void> {
    const format = fileFormatOf(config);
    const names = new FileNames(config, delivery, format.suffix, basic);
    const segments = names.prefix.split('/').filter((segment) => segment !== '' && segment !== '.');
    const within = [String(delivery.projectId), delivery.batchExportId, ...segments];
    let folder: ExportFolder | null = null;
    try {
      const opened = await ExportFolder.open(this.settings.exportDir, within, delivery.runId);
      folder = opened;
      await opened.tidy();
      const written = await writeFiles(
        { config, delivery, progress, signal, format, names },
        (name, content) => opened.prepare(name, content),
      );
      if (names.areNumbered && written.length > 0) {
        await opened.prepare(names.manifest, JSON.stringify({ files: written }));
      }
      await own(() => progress.confirm());
      await opened.publish(names);
      progress.log('INFO', `Wrote ${written.length} file(s) to ${within.join('/')}/`);
    } catch (error) {
      // What cannot be thrown away now is by the next attempt.
      await folder?.discard().catch(() => undefined);
      throw signal.aborted ? signal.reason : explained(error, within);
    }
  }
}

/** What may be otherwise in a while: space is made, other work ends. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY', 'EIO', 'ESTALE']);

const MEANINGS: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left on the disk',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'the server is not permitted to',
  EPERM: 'the server is not permitted to',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'its name is too long',
  ENOTDIR: 'a part of its path is no folder',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** In words that tell members nothing of where the server keeps its files. */
function explained(error: unknown, within: readonly string[]): unknown {
  if (error instanceof OwnFailure) return error.reason;
  const code = codeOf(error);
  if (typeof error !== 'object' || error === null || !('syscall' in error)) return error;
  const folder = `EXPORT_DIR/${within.join('/')}`;
  const meaning = MEANINGS[code] ?? 'the file system refused';
  return new DeliveryFailed(`Cannot write to ${folder}: ${meaning} (${code})`, PASSING.has(code), {
    cause: error,
  });
}
