import type { Servers } from './servers';

/** Seconds from the start of the process until it is ready, on a migrated database; each time anew. */
export async function coldStarts(servers: Servers, times: number): Promise<number[]> {
  const seconds: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const start = performance.now();
    // Nobody asks before it says that it serves: on a small machine that would take the time that is measured.
    const server = await servers.hedgerow({ alone: true });
    const { ok } = await fetch(`${server.url}/_readyz`);
    seconds.push((performance.now() - start) / 1000);
    if (!ok) throw new Error('The server was not ready when it said that it serves');
    await server.stop();
  }
  return seconds;
}
