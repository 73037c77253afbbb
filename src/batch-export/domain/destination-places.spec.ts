import { hostsIn } from './destination-places';

describe('The hosts that a configuration names', () => {
  it.each([
    [{ host: 'db.example.com' }, [{ field: 'host', host: 'db.example.com' }]],
    [{ host: '127.1' }, [{ field: 'host', host: '127.0.0.1' }]],
    [{ host: '0x7f000001' }, [{ field: 'host', host: '127.0.0.1' }]],
    [{ host: '::1' }, [{ field: 'host', host: '[::1]' }]],
    [{ url: 'https://10.0.0.1:8443/batch/' }, [{ field: 'url', host: '10.0.0.1' }]],
    [{ url: 'http://2130706433/' }, [{ field: 'url', host: '127.0.0.1' }]],
    [
      { endpoint_url: 'http://[::ffff:127.0.0.1]:9000' },
      [{ field: 'endpoint_url', host: '[::ffff:7f00:1]' }],
    ],
    [{ host: 'a b', url: 5, endpoint_url: null, port: 5432, database: '127.0.0.1' }, []],
  ])('%j', (config, hosts) => {
    expect(hostsIn(config)).toEqual(hosts);
  });
});
