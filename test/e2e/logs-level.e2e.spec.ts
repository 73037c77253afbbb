import { TestApi } from '../support/api';
import { logs } from '../support/logs';
import { until } from '../support/server-process';

// A process has one log: in a file of its own.
describe('The log from warnings on', () => {
  it('has failures, and no line for a request', async () => {
    const api = await TestApi.start({ LOG_LEVEL: 'warn' });
    const owner = await api.owner();
    await api.rows('ALTER TABLE actions RENAME TO others');
    await owner.get('/api/users/@me/');
    const failed = await owner.get(owner.projectPath('actions/'));
    expect(failed.status).toBe(500);
    // Those are counted when they would be logged.
    await until(async () => /status="500"} 1/.test((await api.anyone().get('/metrics')).text));
    expect(logs.entries).toMatchObject([
      { level: 50, context: 'ErrorFilter', req: { id: failed.headers.get('x-request-id') } },
    ]);
    await api.stop();
  });
});
