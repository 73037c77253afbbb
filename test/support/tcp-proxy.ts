import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What becomes of bytes on their way: they are passed on, kept back, or the connection is cut before or after them. */
export type Fate = 'pass' | 'hold' | 'cut' | 'pass and cut';

/** Stands between a client and a server on 127.0.0.1, and decides what each of them gets to hear. */
export class TcpProxy {
  /** Of what a client sends. */
  up: (bytes: Buffer) => Fate = () => 'pass';
  /** Of what the server sends. */
  down: (bytes: Buffer) => Fate = () => 'pass';
  connections = 0;
  private readonly open = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async to(port: number): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, port);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Ends every connection. */
  cut(): void {
    for (const socket of this.open) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    this.connections += 1;
    const server = connect(this.target, '127.0.0.1');
    const cut = () => {
      client.destroy();
      server.destroy();
    };
    for (const [from, to, fateOf] of [
      [client, server, (bytes: Buffer) => this.up(bytes)],
      [server, client, (bytes: Buffer) => this.down(bytes)],
    ] as const) {
      this.open.add(from);
      from.on('error', cut);
      from.on('close', () => {
        this.open.delete(from);
        to.end();
      });
      from.on('data', (bytes: Buffer) => {
        const fate = fateOf(bytes);
        if (fate === 'hold') from.pause();
        if (fate === 'cut') cut();
        if (fate === 'pass and cut') to.write(bytes, cut);
        if (fate === 'pass' && !to.write(bytes)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
    }
  }
}
