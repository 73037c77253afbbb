import { gzipSync } from 'node:zlib';

/** One entry of an archive as it stands there, sensible or not. */
export interface TarEntry {
  readonly path: string;
  readonly content?: string | Buffer;
  /** As in the header: `0` a file, `1` a hard link, `2` a symbolic link, `3` a device, `5` a folder, `6` a pipe. */
  readonly type?: string;
  readonly link?: string;
}

const BLOCK = 512;

/** A tar archive of these entries, without any check. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = '', type = '0', link = '' }) => {
    const body = Buffer.from(content);
    const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK);
    return [header(path, body.length, type, link), body, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** The same compressed, as packages are. */
export const tgz = (entries: readonly TarEntry[]): Buffer => gzipSync(tar(entries));

/** A compressed archive of files below one folder. */
export const packed = (files: Record<string, string | Buffer>, folder = 'package'): Buffer =>
  tgz(Object.entries(files).map(([path, content]) => ({ path: `${folder}/${path}`, content })));

function header(path: string, size: number, type: string, link: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(path, 0, 100);
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('14000000000\0', 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write(link, 157, 100);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
