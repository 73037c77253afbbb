import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddressPolicy } from '../../shared/net/address-policy';
import { DownloadFailed, download } from './download';

describe('A download', () => {
  let source: Server;
  let answer: (response: ServerResponse) => void;

  beforeAll(async () => {
    source = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
    await once(source, 'listening');
  });
  afterAll(() => {
    source.closeAllConnections();
    source.close();
  });

  const read = (timeout: number) =>
    download(`http://127.0.0.1:${(source.address() as AddressInfo).port}/`, null, {
      policy: new AddressPolicy(true),
      timeout,
      largest: 100,
    });

  it('is a text and its version', async () => {
    answer = (response) => response.setHeader('ETag', 'W/"1"').end('é');
    await expect(read(5000)).resolves.toEqual({ text: 'é', etag: 'W/"1"' });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['before it answers', () => undefined],
    ['in the middle of its answer', (response) => response.write('[')],
  ])('ends when its source hangs %s', async (_when, hang) => {
    answer = hang;
    await expect(read(200)).rejects.toThrow(new DownloadFailed('it took longer than 0.2 s'));
  });
});
