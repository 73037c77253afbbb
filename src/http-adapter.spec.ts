import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { HttpAdapter } from './http-adapter';

/** In milliseconds. */
const SEND_TIMEOUT = 1_000;
/** More than the system takes off a server's hands for a client that does not read. */
const LARGE = 32 * 1024 * 1024;

describe('The HTTP server', () => {
  const adapters: HttpAdapter[] = [];

  /** @returns the adapter and the port of a server whose answer is large */
  const serve = async (sendTimeout?: number) => {
    const adapter = new HttpAdapter(sendTimeout);
    adapters.push(adapter);
    adapter.initHttpServer();
    adapter.getInstance().get('/', (_request: unknown, response: { end(body: Buffer): void }) => {
      response.end(Buffer.alloc(LARGE));
    });
    const listen = jest.spyOn(adapter.getHttpServer(), 'listen');
    const server = adapter.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { adapter, listen, port: (server.address() as AddressInfo).port };
  };
  afterEach(async () => {
    for (const adapter of adapters.splice(0)) await adapter.close();
  });

  it('has more connections wait than Node would', async () => {
    const { listen } = await serve();
    expect(listen).toHaveBeenCalledWith({ port: 0, host: '127.0.0.1', backlog: 4096 }, undefined);
  });

  it('makes requests and answers that are those of Express before Express sees them', async () => {
    const { adapter, port } = await serve();
    const { request, response } = adapter.getInstance();
    const prototypes: unknown[] = [];
    adapter.getHttpServer().prependListener('request', (...made: object[]) => {
      prototypes.push(...made.map((each) => Object.getPrototypeOf(each)));
    });
    await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer();
    expect(prototypes[0]).toBe(request);
    expect(prototypes[1]).toBe(response);
  });

  it('lets go of an answer that is not read', async () => {
    const { adapter, port } = await serve(SEND_TIMEOUT);
    const client = connect(port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [served] = await once(adapter.getHttpServer(), 'request');
    await once(served.socket, 'close');
    client.destroy();
  });

  it('sends a large answer to whom reads it', async () => {
    const { port } = await serve();
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect((await answer.arrayBuffer()).byteLength).toBe(LARGE);
  });
});
