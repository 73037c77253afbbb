import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '../../config/settings';
import { type Finding, ok, problem, warning, wordsOf } from './finding';

/** In milliseconds. */
const PATIENCE = 3_000;

const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Whether a server answers at `HOST`:`PORT`; or else whether one could listen there. */
export async function checkServer({ host, port }: Settings): Promise<Finding> {
  if (port === 0) return ok('server', 'PORT is 0: any that is free.');
  const name = EVERYWHERE[host] ?? host;
  const place = `${name.includes(':') ? `[${name}]` : name}:${port}`;
  const answer = await ready(`http://${place}/_readyz`);
  if (answer === 'ready') return ok('server', `A server runs at ${place}.`);
  if (answer === 'not ready') {
    return problem('server', `The server at ${place} says that it is not ready.`, 'Look into its log.');
  }
  try {
    await listen(host, port);
    return ok('server', `None runs at ${place}, where one could.`);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      ? warning('server', `Another program listens at ${place}.`, 'End it, or set PORT to another port.')
      : problem('server', `No server could listen at ${place}: ${wordsOf(error)}.`, 'Check HOST and PORT.');
  }
}

async function ready(url: string): Promise<'ready' | 'not ready' | 'none'> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) });
    const body = (await answer.json()) as { status?: string; detail?: string };
    if (answer.status === 200 && body.status === 'ok') return 'ready';
    return answer.status === 503 && body.detail !== undefined ? 'not ready' : 'none';
  } catch {
    return 'none';
  }
}

async function listen(host: string, port: number): Promise<void> {
  const server = createServer();
  server.listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
