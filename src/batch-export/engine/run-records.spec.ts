import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Selection } from '../../event/index';
import { RunRecords } from './run-records';

const endless = () =>
  new Readable({
    read() {
      this.push('x');
    },
  });
const of = (read: () => Promise<Readable>) => new RunRecords({ read } as never, {} as Selection);

describe('RunRecords', () => {
  it('knows when reading has failed, whatever others make of it', async () => {
    const source = endless();
    source.on('error', () => source.destroy());
    const records = of(async () => source);
    const read = await records.read('json-lines', null);
    read.emit('error', new Error('terminating connection'));
    read.destroy(new Error('the upload failed'));
    expect(records.failure?.error).toMatchObject({ message: 'terminating connection' });
  });

  it('knows when reading could not begin', async () => {
    const records = of(() => Promise.reject(new Error('refused')));
    await expect(records.read('json-lines', null)).rejects.toThrow('refused');
    expect(records.failure?.error).toMatchObject({ message: 'refused' });
  });

  it('does not take the failure of a destination for its own', async () => {
    const records = of(async () => endless());
    const read = await records.read('json-lines', null);
    const destination = new Writable({ write: (_chunk, _encoding, done) => done(new Error('disk full')) });
    await expect(pipeline(read, destination)).rejects.toThrow('disk full');
    expect([read.destroyed, records.failure]).toEqual([true, null]);
  });

  it('ends all that is read when the attempt ends, and begins nothing after', async () => {
    const records = of(async () => endless());
    const reads = [await records.read('json-lines', null), await records.read('json-lines', null)];
    records.close();
    reads.push(await records.read('json-lines', null));
    expect(reads.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
    expect(records.failure).toBeNull();
  });
});
