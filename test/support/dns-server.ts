import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

/** What the server says of a name: TXT records, each in one or more pieces; or why there are none. */
export type Reply = string[][] | 'no such name' | 'failure' | 'silence';

const HEADER_BYTES = 12;
const TXT = 16;
const CODES = { 'no such name': 3, failure: 2 };

/** A DNS server on 127.0.0.1 that knows the TXT records it is told; no other name exists. */
export class DnsServer {
  /** The names that were asked for, in order. */
  readonly asked: string[] = [];
  private readonly replies = new Map<string, () => Reply | Promise<Reply>>();

  private constructor(private readonly socket: Socket) {
    socket.on('message', (query, { port, address }) => {
      this.replyTo(query).then((reply) => {
        if (reply) socket.send(reply, port, address);
      });
    });
  }

  static async start(): Promise<DnsServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new DnsServer(socket);
  }

  /** As `DNS_SERVERS` takes it. */
  get address(): string {
    return `127.0.0.1:${(this.socket.address() as AddressInfo).port}`;
  }

  set(name: string, reply: Reply | (() => Reply | Promise<Reply>)): void {
    this.replies.set(name, typeof reply === 'function' ? reply : () => reply);
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }

  private async replyTo(query: Buffer): Promise<Buffer | null> {
    const { name, end } = questionOf(query);
    this.asked.push(name);
    const reply = (await this.replies.get(name)?.()) ?? 'no such name';
    if (reply === 'silence') return null;
    const records = typeof reply === 'string' ? [] : reply;
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    // An answer, recursion desired and available.
    header.writeUInt16BE(0x8180 | (typeof reply === 'string' ? CODES[reply] : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...records.map(txtRecord)]);
  }
}

function questionOf(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  // The root label, type and class.
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

function txtRecord(pieces: string[]): Buffer {
  const data = Buffer.concat(pieces.map((piece) => Buffer.from([piece.length, ...Buffer.from(piece)])));
  const head = Buffer.alloc(HEADER_BYTES);
  // The name is the question's; then type, class IN, 60 seconds, and the length of the data.
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  head.writeUInt16BE(TXT, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
