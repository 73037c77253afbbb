import { AddressPolicy, AddressRefused } from '../../../shared/net/address-policy';
import { ServerAddress } from './server-address';

describe('ServerAddress', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['10.0.0.1', false],
    ['192.168.127.1', false],
    ['2001:db8::1', false],
  ])('%s is this machine: %s', async (host, isThisMachine) => {
    const address = await ServerAddress.of(host, new AddressPolicy(true));
    expect(address.isThisMachine).toBe(isThisMachine);
  });

  it.each(['127.0.0.1', 'localhost', '10.0.0.1', '::1', '::ffff:10.0.0.1'])(
    'of %s is kept to the policy',
    async (host) => {
      await expect(ServerAddress.of(host, new AddressPolicy(false))).rejects.toThrow(AddressRefused);
    },
  );
});
