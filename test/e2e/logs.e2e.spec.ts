import { Logger } from '@nestjs/common';
import { TestApi } from '../support/api';
import { logs } from '../support/logs';
import { until } from '../support/server-process';

describe('The log of a server under test', () => {
  it.each([
    ['a key', async ({ key }: { key: string }) => key],
    ['a secret of a destination', async () => 'the-secret-of-a-destination'],
  ])('is searched for %s that was used', async (_, secretOf) => {
    const api = await TestApi.start();
    const owner = await api.owner();
    const destination = {
      type: 'HTTP',
      config: { url: 'https://example.com', token: 'the-secret-of-a-destination' },
    };
    const made = await owner.post(owner.projectPath('batch_exports/'), {
      name: 'Mirror',
      interval: 'hour',
      destination,
    });
    expect(made.status).toBe(201);
    await api.stop();

    const careless = await TestApi.start();
    const person = await careless.owner();
    await person.get('/api/users/@me/');
    new Logger('Careless').debug(`Works with ${await secretOf({ key: person.key ?? '' })}`);
    await expect(careless.stop()).rejects.toThrow('is in the log');
    await careless.stop().catch(() => undefined);
  });
});

describe('The log', () => {
  it('has a line for every request, however its route was found', async () => {
    const api = await TestApi.start();
    const owner = await api.owner();
    const paths = [
      '/api/users/@me/',
      '/api/users/@m%65/',
      owner.projectPath('actions/'),
      '/signup/none/',
      '/nothing/',
    ];
    for (const path of paths) await api.anyone(owner.key).get(path);
    const expected = paths.map((path) => path.replace('none', '...'));
    // A line is written when the answer has left, which may be after it has come.
    await until(() => logs.requests.length >= paths.length);
    expect(logs.requests.sort()).toEqual(expected.sort());
    await api.stop();
  });
});
