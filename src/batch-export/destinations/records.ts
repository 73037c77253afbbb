import { addAbortSignal, type Readable, Transform } from 'node:stream';
import type { Delivery } from '../domain/delivery';

const LINE_FEED = 0x0a;

/** The records of a delivery; when the signal is aborted, the stream ends, also one that is yet to come. */
export async function recordsOf(
  delivery: Delivery,
  format: Parameters<Delivery['read']>[0],
  signal: AbortSignal,
  after: string | null = null,
): Promise<Readable> {
  signal.throwIfAborted();
  return unlessAborted(
    // Nobody may be listening any longer, or yet, when it is ended.
    delivery.read(format, after).then((records) =>
      addAbortSignal(
        signal,
        records.on('error', () => {}),
      ),
    ),
    signal,
  );
}

/** Does not wait any longer when the signal is aborted. @throws what the signal says, then */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => {});
    throw signal.reason;
  }
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Passes lines on as they are, and tells how many ended in each chunk, and its bytes. */
export const countedLines = (tell: (lines: number, bytes: number) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _, done) {
      tell(linesIn(chunk), chunk.length);
      done(null, chunk);
    },
  });

export function linesIn(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

/** The lines of a stream, each without the line feed that ends it. */
export async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const line = chunk.subarray(start, end);
      yield pieces.length === 0 ? line : Buffer.concat([...pieces, line]);
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
  if (pieces.length > 0) throw new Error('The records end within one of them');
}
