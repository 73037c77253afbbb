import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { Logger } from '@nestjs/common';
import { DnsServer } from '../../../test/support/dns-server';
import { DnsTxtResolver, LOOK_UP_LIMIT } from './dns-txt-resolver';

const HOST = '_posthog-challenge.example.com';

describe('DnsTxtResolver', () => {
  let servers: DnsServer[];
  let dns: DnsServer;

  beforeAll(() => Logger.overrideLogger(false));
  beforeEach(async () => {
    servers = await Promise.all([DnsServer.start(), DnsServer.start(), DnsServer.start()]);
    [dns] = servers as [DnsServer];
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(servers.map((server) => server.stop()));
  });

  it('answers the texts of all TXT records, each in one piece', async () => {
    dns.set(HOST, [['one'], ['in ', 'three ', 'pieces'], ['']]);
    await expect(new DnsTxtResolver([dns.address]).resolve(HOST)).resolves.toEqual([
      'one',
      'in three pieces',
      '',
    ]);
    expect(dns.asked).toEqual([HOST]);
  });

  it.each(['no such name', 'failure'] as const)('answers nothing on: %s', async (reply) => {
    dns.set(HOST, reply);
    await expect(new DnsTxtResolver([dns.address]).resolve(HOST)).resolves.toEqual([]);
  });

  it('answers nothing for a name that has no TXT record, and for one that DNS cannot hold', async () => {
    dns.set(HOST, []);
    const resolver = new DnsTxtResolver([dns.address]);
    await expect(resolver.resolve(HOST)).resolves.toEqual([]);
    await expect(resolver.resolve(`${'a'.repeat(64)}.example.com`)).resolves.toEqual([]);
  });

  it('answers nothing where nobody listens', async () => {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const { port } = socket.address();
    await new Promise<void>((resolve) => socket.close(() => resolve()));
    await expect(new DnsTxtResolver([`127.0.0.1:${port}`], 500).resolve(HOST)).resolves.toEqual([]);
  });

  it('gives up on silent servers at its limit, however many there are', async () => {
    for (const server of servers) server.set(HOST, 'silence');
    const cancel = jest.spyOn(Resolver.prototype, 'cancel');
    const start = performance.now();
    const addresses = servers.map(({ address }) => address);
    await expect(new DnsTxtResolver(addresses, 200).resolve(HOST)).resolves.toEqual([]);
    const took = performance.now() - start;
    expect(took).toBeGreaterThan(150);
    expect(took).toBeLessThan(2000);
    expect(cancel).toHaveBeenCalledTimes(1);
    expect(dns.asked.length).toBeGreaterThan(0);
  });

  it('has a limit of 5 seconds', async () => {
    expect(LOOK_UP_LIMIT).toBe(5_000);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    dns.set(HOST, [['text']]);
    await new DnsTxtResolver([dns.address]).resolve(HOST);
    expect(timers.mock.calls.map(([, delay]) => delay)).toContain(5_000);
  });
});
