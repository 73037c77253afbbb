import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { KEY } from '../support/server';

/** What a crowd of clients has seen; times in milliseconds. */
export interface Seen {
  /** By status, of the clients that wait for answers. */
  readonly statuses: Record<string, number>;
  /** 503 without a `Retry-After` that is a whole number. */
  readonly withoutRetryAfter: number;
  /** Connections that were ended while a quick client waited for an answer. */
  readonly broken: number;
  readonly times: readonly number[];
}

export interface CrowdOptions {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
}

const AUTHORIZED = `Host: bench\r\nAuthorization: Bearer ${KEY}\r\n`;
const ACTIONS = '/api/projects/@current/actions/';
/** Names of actions are unique. */
const creation = () => {
  const body = JSON.stringify({ name: `Made under load ${randomUUID()}`, steps: [{ event: 'bought' }] });
  return `POST ${ACTIONS} HTTP/1.1\r\n${AUTHORIZED}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};
const QUICK = [
  () => `GET /api/organizations/@current/ HTTP/1.1\r\n${AUTHORIZED}\r\n`,
  () => `GET ${ACTIONS}?limit=10 HTTP/1.1\r\n${AUTHORIZED}\r\n`,
  () => `GET /api/users/@me/ HTTP/1.1\r\n${AUTHORIZED}\r\n`,
  creation,
];

/** Milliseconds from one byte to the next of those who are slow. */
const SLOW = 100;
/** Milliseconds after which those who have stopped sending go, and come again. */
const STALLED = 20_000;
const LONG_BODY = 200_000;

/** Connects so many clients, every tenth of them slow in each of three ways, for so long. */
export class Crowd {
  private readonly seen = { statuses: {} as Record<string, number>, withoutRetryAfter: 0, broken: 0 };
  private readonly times: number[] = [];
  private readonly sockets = new Set<Socket>();
  private isOver = false;

  constructor(private readonly options: CrowdOptions) {}

  async gather(): Promise<Seen> {
    for (let number = 0; number < this.options.connections; number += 1) this.join(number);
    await new Promise((resolve) => setTimeout(resolve, this.options.seconds * 1000));
    this.isOver = true;
    for (const socket of this.sockets) socket.destroy();
    return { ...this.seen, times: this.times };
  }

  private join(number: number): void {
    const socket = connect(this.options.port, '127.0.0.1');
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.sockets.delete(socket);
      if (!this.isOver) setTimeout(() => this.join(number), SLOW);
    });
    const behave = [this.sendHeadersSlowly, this.stopInBody, this.readSlowly][number % 10] ?? this.askAgain;
    socket.once('connect', () => behave.call(this, socket));
  }

  /** One request after the other; a second later after a 503. */
  private askAgain(socket: Socket): void {
    let received = '';
    let asked: number | null = null;
    const ask = () => {
      received = '';
      asked = performance.now();
      socket.write(QUICK[Math.floor(Math.random() * QUICK.length)]?.() ?? '');
    };
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      received += text;
      const end = received.indexOf('\r\n\r\n');
      const head = received.slice(0, end);
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (end < 0 || received.length < end + 4 + length || asked === null) return;
      const status = head.slice(9, 12);
      this.seen.statuses[status] = (this.seen.statuses[status] ?? 0) + 1;
      this.times.push(performance.now() - asked);
      asked = null;
      const wait = Number(/^retry-after: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (status === '503' && wait === 0) this.seen.withoutRetryAfter += 1;
      if (wait > 0) setTimeout(ask, wait * 1000);
      else ask();
    });
    socket.once('close', () => {
      if (asked !== null && !this.isOver) this.seen.broken += 1;
    });
    ask();
  }

  private sendHeadersSlowly(socket: Socket): void {
    const bytes = `GET /api/users/@me/ HTTP/1.1\r\n${AUTHORIZED}${'X-Slow: yes\r\n'.repeat(50)}`;
    let sent = 0;
    const timer = setInterval(() => {
      socket.write(bytes[sent] ?? 'x');
      sent += 1;
    }, SLOW);
    socket.once('close', () => clearInterval(timer));
  }

  private stopInBody(socket: Socket): void {
    const head = `POST ${ACTIONS} HTTP/1.1\r\n${AUTHORIZED}Content-Type: application/json\r\n`;
    socket.write(`${head}Content-Length: ${LONG_BODY}\r\n\r\n{"name": "${'x'.repeat(LONG_BODY / 2)}`);
    const timer = setTimeout(() => socket.destroy(), STALLED);
    socket.once('close', () => clearTimeout(timer));
  }

  /** A page of a thousand, in the smallest pieces. */
  private readSlowly(socket: Socket): void {
    socket.write(`GET ${ACTIONS}?limit=1000 HTTP/1.1\r\n${AUTHORIZED}\r\n`);
    socket.pause();
    const timer = setInterval(() => socket.read(1024), SLOW);
    const leave = setTimeout(() => socket.destroy(), STALLED);
    socket.once('close', () => {
      clearInterval(timer);
      clearTimeout(leave);
    });
  }
}
