import { DeliveryFailed } from '../../src/batch-export/domain/delivery';
import { Level } from '../../src/shared/domain/level';
import { TestApi } from '../support/api';
import { ScriptedWriter } from '../support/scripted-writer';
import { until } from '../support/server-process';
import { MailCatcher, wordsOf } from '../support/smtp-server';

describe('An export that was paused because its runs fail', () => {
  const catcher = new MailCatcher();
  const writer = new ScriptedWriter();
  let api: TestApi;

  beforeAll(async () => {
    await catcher.start();
    api = await TestApi.start(
      { ROLE: 'all', SMTP_URL: catcher.url, PUBLIC_URL: 'https://hedgerow.example.com' },
      [writer.provider],
    );
  });
  afterAll(async () => {
    await api.stop();
    await catcher.stop();
  });

  it('is told by mail to those who run the organization, once, and without its secrets', async () => {
    const owner = await api.owner();
    const admin = await api.member(owner, Level.Admin);
    await api.member(owner);
    const details = {
      name: 'To the <warehouse>',
      interval: 'hour',
      destination: { type: 'HTTP', config: { url: 'https://example.com/', token: 'phc_s3cret' } },
    };
    const { body } = await owner.post(owner.path('batch_exports/'), details);
    writer.script = () => Promise.reject(new DeliveryFailed('403: phc_s3cret is unknown', false));
    api.clock.advance({ hours: 12 });
    await until(async () => (await owner.get(owner.path(`batch_exports/${body.id}/`))).body.paused);
    await until(() => catcher.mails.length === 2);
    expect(catcher.mails.flatMap(({ to }) => to).sort()).toEqual([owner.user.email, admin.user.email].sort());
    for (const mail of catcher.mails) {
      const words = wordsOf(mail);
      expect(words).toContain('10 runs in a row');
      expect(words).toContain('403: *** is unknown');
      expect(words).toContain('To the &lt;warehouse&gt;');
      expect(words).not.toContain('s3cret');
    }
    const log = await owner.get(owner.path(`activity_log/?item_id=${body.id}`));
    const trigger = { job_type: 'batch_export_run', job_id: expect.any(String) };
    expect(log.body.results[0]).toMatchObject({ activity: 'paused', user: null, detail: { trigger } });
    expect(await api.rows("SELECT FROM mails WHERE name LIKE 'export %'")).toHaveLength(2);
  });
});
