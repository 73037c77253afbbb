import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddressPolicy, AddressRefused } from './address-policy';

const strict = new AddressPolicy(false);

describe('AddressPolicy', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::7f00:1',
    '::a9fe:a9fe',
    '168.63.129.16',
  ])('refuses %s', (address) => {
    expect(strict.allows(address)).toBe(false);
    expect(() => strict.check(address)).toThrow(AddressRefused);
    expect(new AddressPolicy(true).allows(address)).toBe(true);
  });

  it.each(['8.8.8.8', '2001:4860:4860::8888', '::ffff:8.8.8.8'])('allows %s', (address) => {
    expect(strict.allows(address)).toBe(true);
    expect(() => strict.check(address)).not.toThrow();
  });

  it('refuses an IPv6 address in brackets', () => {
    expect(() => strict.check('[::1]')).toThrow(AddressRefused);
  });

  describe('of agents', () => {
    let server: Server;
    let port: number;
    let asked = 0;

    beforeAll(async () => {
      server = createServer((_, response) => {
        asked += 1;
        response.end('secret');
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
    });

    afterAll(() => {
      server.close();
    });

    const fetched = (policy: AddressPolicy, host: string): Promise<string> => {
      const agent = policy.httpAgent();
      return new Promise<string>((resolve, reject) => {
        get({ host, port, agent }, (response) => {
          response.setEncoding('utf8').on('data', resolve);
        }).on('error', reject);
      }).finally(() => agent.destroy());
    };

    it.each(['127.0.0.1', 'localhost'])('refuses to connect to %s', async (host) => {
      asked = 0;
      await expect(fetched(strict, host)).rejects.toThrow(`${host} is not a public address`);
      expect(asked).toBe(0);
    });

    it('connects to private addresses where they are allowed', async () => {
      await expect(fetched(new AddressPolicy(true), '127.0.0.1')).resolves.toBe('secret');
    });
  });
});
