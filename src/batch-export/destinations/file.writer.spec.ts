import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  AWKWARD_EVENTS,
  eventOf,
  eventsOf,
  TestDelivery,
  TestProgress,
} from '../../../test/support/delivery';
import { failureOf } from '../../../test/support/failure-of';
import { readRecords } from '../../../test/support/read-records';
import { Settings } from '../../config/settings';
import { FileWriter } from './file.writer';

const MEGABYTE = 1024 * 1024;
const NAME = '20250101T000000Z-20250101T010000Z';
const large = (number: number) => eventOf(number, { properties: { text: 'x'.repeat(MEGABYTE / 4) } });

/** A file system of 4 MiB. */
const mountOf = (folder: string) => ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder];

/** It takes a privilege that not every machine gives. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'hedgerow-mount-'));
  try {
    execFileSync('mount', mountOf(folder), { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('FileWriter', () => {
  let root: string;
  let writer: FileWriter;
  const signal = new AbortController().signal;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hedgerow-exports-'));
    writer = new FileWriter(Settings.from({ EXPORT_DIR: root }));
  });

  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  const configOf = (config: object = {}) => ({ prefix: '', file_format: 'JSONLines', ...config });
  const folderOf = (delivery: TestDelivery) => join(root, '7', delivery.batchExportId);

  it('writes what was delivered below the folder of the project and the export, and tells how much', async () => {
    const delivery = new TestDelivery(AWKWARD_EVENTS);
    const progress = new TestProgress();
    const config = configOf({ prefix: 'a/{year}/{table}/', compression: 'gzip' });
    await writer.write(config, delivery, progress, signal);

    const folder = join(folderOf(delivery), 'a/2025/events');
    expect(readdirSync(folder)).toEqual([`${NAME}.jsonl.gz`]);
    const file = readFileSync(join(folder, `${NAME}.jsonl.gz`));
    await expect(readRecords('.gz', file, delivery.fields)).resolves.toEqual(AWKWARD_EVENTS);
    expect([progress.records, progress.bytes]).toEqual([AWKWARD_EVENTS.length, file.length]);
    expect(progress.confirmed).toBe(1);
    expect(progress.logs).toEqual([
      ['INFO', `Wrote 1 file(s) to 7/${delivery.batchExportId}/a/2025/events/`],
    ]);
  });

  it('writes no file where there are no records', async () => {
    const delivery = new TestDelivery([]);
    await writer.write(configOf({ max_file_size_mb: 1 }), delivery, new TestProgress(), signal);
    expect(readdirSync(folderOf(delivery))).toEqual([]);
  });

  it.each(['JSONLines', 'Parquet'])(
    'cuts %s into files that a manifest lists; a repeat with fewer leaves no others',
    async (file_format) => {
      const suffix = file_format === 'Parquet' ? 'parquet' : 'jsonl';
      const config = configOf({ max_file_size_mb: 1, file_format });
      const records = Array.from({ length: 10 }, (_, number) => large(number));
      const delivery = new TestDelivery(records);
      await writer.write(config, delivery, new TestProgress(), signal);

      const names = [0, 1, 2].map((number) => `${NAME}-${number}.${suffix}`);
      const manifest = () =>
        JSON.parse(readFileSync(join(folderOf(delivery), `${NAME}_manifest.json`), 'utf8'));
      const read = async (listed: string[]) =>
        (
          await Promise.all(
            listed.map((name) =>
              readRecords(name, readFileSync(join(folderOf(delivery), name)), delivery.fields),
            ),
          )
        ).flat();
      expect(readdirSync(folderOf(delivery)).sort()).toEqual([...names, `${NAME}_manifest.json`]);
      expect(manifest()).toEqual({ files: names });
      await expect(read(names)).resolves.toEqual(records);

      writeFileSync(join(folderOf(delivery), 'of somebody else'), '');
      await writer.write(config, new TestDelivery(records.slice(0, 5)), new TestProgress(), signal);
      expect(readdirSync(folderOf(delivery)).sort()).toEqual([
        ...names.slice(0, 2),
        `${NAME}_manifest.json`,
        'of somebody else',
      ]);
      expect(manifest()).toEqual({ files: names.slice(0, 2) });
      await expect(read(names.slice(0, 2))).resolves.toEqual(records.slice(0, 5));

      await writer.write(config, new TestDelivery([]), new TestProgress(), signal);
      expect(readdirSync(folderOf(delivery))).toEqual(['of somebody else']);
    },
  );

  it('shows a file when it is whole, and leaves nothing of one that is not', async () => {
    const delivery = new TestDelivery([]);
    await writer.write(configOf(), new TestDelivery([eventOf(1)]), new TestProgress(), signal);
    const before = readFileSync(join(folderOf(delivery), `${NAME}.jsonl`), 'utf8');
    const lost = new Error('the connection was cut');
    let seen: string[] = [];
    delivery.read = async () =>
      Readable.from(
        (async function* () {
          for (const event of eventsOf(5000)) yield Buffer.from(`${JSON.stringify(event)}\n`);
          seen = readdirSync(folderOf(delivery));
          throw lost;
        })(),
        { objectMode: false },
      );
    await expect(writer.write(configOf(), delivery, new TestProgress(), signal)).rejects.toBe(lost);
    expect(seen).toHaveLength(2);
    expect(seen).toContain(`${NAME}.jsonl`);
    expect(readdirSync(folderOf(delivery))).toEqual([`${NAME}.jsonl`]);
    expect(readFileSync(join(folderOf(delivery), `${NAME}.jsonl`), 'utf8')).toBe(before);
  });

  it('publishes nothing for a run that is no longer its own', async () => {
    const lost = Object.assign(new Error('lost'), { code: 'ECONNRESET', syscall: 'read' });
    const delivery = new TestDelivery([eventOf(1)]);
    await expect(writer.write(configOf(), delivery, new TestProgress(lost), signal)).rejects.toBe(lost);
    expect(readdirSync(folderOf(delivery))).toEqual([]);
  });

  it('ends soon when it has to, with nothing left', async () => {
    const delivery = new TestDelivery([]);
    const abort = new AbortController();
    const why = new Error('cancelled');
    const endless = new Readable({ read() {} });
    endless.push(`${JSON.stringify(eventOf(1))}\n`);
    delivery.read = async () => {
      setImmediate(() => abort.abort(why));
      return endless;
    };
    await expect(writer.write(configOf(), delivery, new TestProgress(), abort.signal)).rejects.toBe(why);
    expect(endless.destroyed).toBe(true);
    expect(readdirSync(folderOf(delivery))).toEqual([]);
  });

  it('throws away what killed attempts of the run left, and what is long left of others', async () => {
    const delivery = new TestDelivery([eventOf(1)]);
    const folder = folderOf(delivery);
    mkdirSync(folder, { recursive: true });
    const mine = `.hedgerow-${delivery.runId}-0123456789ab.tmp`;
    const others = `.hedgerow-0199aaaa-0000-7000-8000-0000000000ff-0123456789ab.tmp`;
    const old = `.hedgerow-0199aaaa-0000-7000-8000-0000000000fe-0123456789ab.tmp`;
    for (const name of [mine, others, old, 'my.tmp']) writeFileSync(join(folder, name), 'half');
    utimesSync(join(folder, old), new Date(0), new Date(0));
    await writer.write(configOf(), delivery, new TestProgress(), signal);
    expect(readdirSync(folder).sort()).toEqual([others, `${NAME}.jsonl`, 'my.tmp']);
  });

  it.each(['../../8', '..', 'a/../../../b', 'a\\..\\b', 'a\0b', 'C:', 'x'.repeat(300)])(
    'does not leave its folder by the prefix %j',
    async (prefix) => {
      const writing = writer.write(
        configOf({ prefix }),
        new TestDelivery([eventOf(1)]),
        new TestProgress(),
        signal,
      );
      await expect(failureOf(writing)).resolves.toMatchObject({ isTransient: false });
      expect(existsSync(join(root, '8'))).toBe(false);
      const delivery = new TestDelivery([]);
      if (existsSync(folderOf(delivery)))
        expect(readdirSync(folderOf(delivery)).filter((name) => name !== 'a')).toEqual([]);
    },
  );

  it('takes an absolute prefix for one below its folder', async () => {
    const delivery = new TestDelivery([eventOf(1)]);
    await writer.write(configOf({ prefix: '/etc//./x' }), delivery, new TestProgress(), signal);
    expect(existsSync(join(folderOf(delivery), 'etc/x', `${NAME}.jsonl`))).toBe(true);
  });

  it('follows no link in the export folder', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'hedgerow-elsewhere-'));
    const delivery = new TestDelivery([eventOf(1)]);
    mkdirSync(folderOf(delivery), { recursive: true });
    symlinkSync(elsewhere, join(folderOf(delivery), 'out'));
    await expect(
      writer.write(configOf({ prefix: 'out' }), delivery, new TestProgress(), signal),
    ).rejects.toThrow("'out' in the export folder is no folder");
    // A link in the place of the file itself is replaced, not written through.
    const secret = join(elsewhere, 'secret');
    writeFileSync(secret, 'kept');
    symlinkSync(secret, join(folderOf(delivery), `${NAME}.jsonl`));
    await writer.write(configOf(), delivery, new TestProgress(), signal);
    expect(readFileSync(secret, 'utf8')).toBe('kept');
    expect(readdirSync(elsewhere)).toEqual(['secret']);
    rmSync(elsewhere, { recursive: true });
  });

  it('says what the file system does not let it do, and not where it is', async () => {
    const file = join(root, 'a file');
    writeFileSync(file, '');
    const failing = new FileWriter(Settings.from({ EXPORT_DIR: join(file, 'below') }));
    const delivery = new TestDelivery([eventOf(1)]);
    await expect(failureOf(failing.write(configOf(), delivery, new TestProgress(), signal))).resolves.toEqual(
      {
        isTransient: false,
        message: `Cannot write to EXPORT_DIR/7/${delivery.batchExportId}: a part of its path is no folder (ENOTDIR)`,
      },
    );
  });

  /** A disk that is full has to be made, which not everybody may. */
  const whereMountable = (name: string, test: () => Promise<void>) => {
    if (canMount()) it(name, test);
  };
  whereMountable('fails for a while when the disk is full, and leaves room again', async () => {
    execFileSync('mount', mountOf(root));
    try {
      const delivery = new TestDelivery(Array.from({ length: 40 }, (_, number) => large(number)));
      await expect(
        failureOf(writer.write(configOf(), delivery, new TestProgress(), signal)),
      ).resolves.toEqual({
        isTransient: true,
        message: expect.stringMatching(/no space left on the disk \(ENOSPC\)$/),
      });
      expect(readdirSync(folderOf(delivery))).toEqual([]);
      await writer.write(configOf(), new TestDelivery(eventsOf(10)), new TestProgress(), signal);
      expect(readdirSync(folderOf(delivery))).toEqual([`${NAME}.jsonl`]);
    } finally {
      execFileSync('umount', [root]);
    }
  });
});
