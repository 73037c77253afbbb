import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The same bytes in chunks of at least `size`, but for the last. */
export async function* gathered(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < size) continue;
    yield Buffer.concat(chunks, bytes);
    chunks = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(chunks, bytes);
}

/** What a transformation makes of the bytes. Fails as the source does; stops it when nobody reads on. */
export async function* through(source: AsyncIterable<Buffer>, transform: Duplex): AsyncGenerator<Uint8Array> {
  const fed = pipeline(source, transform);
  // Told below, or as an error of what is read here.
  fed.catch(() => undefined);
  yield* transform;
  await fed;
}
