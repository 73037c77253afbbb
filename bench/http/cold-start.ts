import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Servers } from './servers';

/** Seconds from the start of the process until it is ready, on a migrated database; each time anew. */
export async function coldStarts(servers: Servers, times: number): Promise<number[]> {
  const seconds: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const port = await freePort();
    const start = performance.now();
    const starting = servers.hedgerow({ alone: true, env: { PORT: String(port) } });
    await Promise.race([ready(`http://127.0.0.1:${port}/_readyz`), failed(starting)]);
    seconds.push((performance.now() - start) / 1000);
    await (await starting).stop();
  }
  return seconds;
}

async function ready(url: string): Promise<void> {
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await setTimeout(5);
}

/** Never, unless the server ends before it serves. */
const failed = (starting: Promise<unknown>): Promise<never> =>
  new Promise((_, reject) => {
    starting.catch(reject);
  });

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
