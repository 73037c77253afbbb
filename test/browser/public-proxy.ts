import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy as it stands before a server: its address is known first, and it takes a path off. */
export class PublicProxy {
  /** Where requests are passed on to. */
  target = '';
  private readonly server = createServer((incoming, answer) => {
    const path = incoming.url ?? '';
    if (!path.startsWith(this.prefix)) return answer.writeHead(502).end();
    const { method, headers } = incoming;
    const url = this.target + path.slice(this.prefix.length);
    const outgoing = request(url, { method, headers }, (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });

  private constructor(private readonly prefix: string) {}

  static async at(prefix: string): Promise<PublicProxy> {
    const proxy = new PublicProxy(prefix);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  /** What callers see, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${this.prefix}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
