import { Logger } from '@nestjs/common';
import { TestApi } from '../support/api';

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
