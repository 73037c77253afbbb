import { Readable } from 'node:stream';
import { RecordCutter } from './record-cutter';

const chunksOf = (text: string, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    Buffer.from(text.slice(index * size, (index + 1) * size)),
  );

async function filesOf(text: string, chunk: number, size: number | null) {
  const cutter = new RecordCutter(Readable.from(chunksOf(text, chunk), { objectMode: false }), size);
  const files: string[] = [];
  while (await cutter.hasMore()) {
    const chunks: Buffer[] = [];
    for await (const bytes of cutter.file()) chunks.push(bytes);
    files.push(Buffer.concat(chunks).toString());
  }
  return { files, records: cutter.records };
}

describe('RecordCutter', () => {
  const text = 'aa\nbbbb\nc\n\ndddddddddd\ne\n';

  it.each([1, 2, 3, 5, 100])('cuts at the same records in chunks of %s bytes', async (chunk) => {
    const cut = (size: number | null) => filesOf(text, chunk, size);
    await expect(cut(null)).resolves.toEqual({ files: [text], records: 6 });
    await expect(cut(1)).resolves.toEqual({
      files: ['aa\n', 'bbbb\n', 'c\n', '\n', 'dddddddddd\n', 'e\n'],
      records: 6,
    });
    await expect(cut(8)).resolves.toEqual({ files: ['aa\nbbbb\n', 'c\n\ndddddddddd\n', 'e\n'], records: 6 });
    await expect(cut(9)).resolves.toEqual({ files: ['aa\nbbbb\nc\n', '\ndddddddddd\n', 'e\n'], records: 6 });
    await expect(cut(text.length)).resolves.toEqual({ files: [text], records: 6 });
  });

  it('makes no file of nothing', async () => {
    await expect(filesOf('', 1, 5)).resolves.toEqual({ files: [], records: 0 });
  });

  it('does not take half a record for a whole one', async () => {
    await expect(filesOf('aa\nbb', 2, null)).rejects.toThrow('ended in the middle');
  });

  it('is told of an error that came while nobody read', async () => {
    const source = new Readable({ read() {} });
    const cutter = new RecordCutter(source, null);
    source.destroy(new Error('cut'));
    await new Promise((resolve) => source.once('close', resolve));
    await expect(cutter.hasMore()).rejects.toThrow('cut');
  });
});
