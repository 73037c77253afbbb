import { Mails } from '../../src/shared/mail/mails';
import type { Message } from '../../src/shared/mail/message';
import { Transaction } from '../../src/shared/persistence/transaction';
import { TestApi } from '../support/api';
import { until } from '../support/server-process';
import { MailCatcher, wordsOf } from '../support/smtp-server';

const MESSAGE: Message = {
  to: { name: 'Ada', address: 'ada@example.com' },
  replyTo: { name: 'Olive', address: 'olive@example.com' },
  subject: 'Grüße from Acme',
  paragraphs: ['Hello & welcome.', { link: 'https://hedgerow.example.com/signup/s3cret/', label: 'Accept' }],
};

describe('Mails', () => {
  const catcher = new MailCatcher();
  let api: TestApi;
  let mails: Mails;
  let count = 0;

  beforeAll(async () => {
    await catcher.start();
    api = await TestApi.start({
      ROLE: 'all',
      SMTP_URL: catcher.url,
      PUBLIC_URL: 'https://hedgerow.example.com',
      EMAIL_FROM: 'Hedgerow <hedgerow@example.com>',
      EMAIL_REPLY_TO: 'help@example.com',
    });
    mails = api.app.get(Mails);
  });
  beforeEach(() => {
    catcher.mails.length = 0;
    count += 1;
  });
  afterEach(() => api.clock.reset());
  afterAll(async () => {
    await api.stop();
    await catcher.stop();
  });

  const name = () => `test ${count}`;
  const send = async (message: Message = MESSAGE) => {
    await mails.send(name(), message);
    await mails.tick();
  };
  const state = async () => {
    const [row] = await api.rows<{
      state: string;
      content: Buffer | null;
      error: string | null;
      attempts: number;
    }>('SELECT state, content, error, attempts FROM mails WHERE name = $1', [name()]);
    return row;
  };
  const ended = async (as: string) => until(async () => (await state())?.state === as);

  it('say the same in plain text and in HTML, from us, answered to whom they are about', async () => {
    await send();
    await ended('sent');
    const [mail] = catcher.mails;
    expect(mail).toMatchObject({ from: 'hedgerow@example.com', to: ['ada@example.com'] });
    const words = wordsOf(mail as never);
    expect(words).toMatch(/^From: Hedgerow <hedgerow@example\.com>/m);
    expect(words).toMatch(/^To: Ada <ada@example\.com>/m);
    expect(words).toMatch(/^Reply-To: Olive <olive@example\.com>/m);
    expect(mail?.raw).toMatch(/^Message-ID: <[\w-]+@example\.com>/m);
    expect(words).toMatch(/^Auto-Submitted: auto-generated/m);
    expect(words).toContain('Hello & welcome.');
    expect(words).toContain('<p>Hello &amp; welcome.</p>');
    expect(words).toContain('href="https://hedgerow.example.com/signup/s3cret/"');
  });

  it('are answered to EMAIL_REPLY_TO where nobody else is meant', async () => {
    await send({ ...MESSAGE, replyTo: undefined });
    await ended('sent');
    expect(wordsOf(catcher.mails[0] as never)).toMatch(/^Reply-To: help@example\.com/m);
  });

  it('cannot be given headers by those whom they name', async () => {
    const evil = 'Ada\r\nBcc: victim@example.com\r\n\r\n<h1>hi</h1>';
    await send({ ...MESSAGE, to: { name: evil, address: 'ada@example.com' }, subject: evil });
    await ended('sent');
    const [mail] = catcher.mails;
    expect(mail?.to).toEqual(['ada@example.com']);
    const [head = ''] = (mail?.raw ?? '').split('\r\n\r\n');
    expect(head).not.toMatch(/^Bcc:/im);
  });

  it('are sent when the transaction commits, and only then', async () => {
    const failed = api.app.get(Transaction).run(async () => {
      await mails.send(name(), MESSAGE);
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await state()).toBeUndefined();
  });

  it('go out once for each thing that they are about', async () => {
    await send();
    await send();
    await ended('sent');
    await mails.tick();
    expect(catcher.mails).toHaveLength(1);
  });

  it('are sealed while they wait, and gone when they are sent', async () => {
    catcher.faults.push('try later');
    await send();
    await until(async () => (await state())?.attempts === 1 && (await state())?.state === 'waiting');
    const content = (await state())?.content?.toString('latin1');
    expect(content?.length).toBeGreaterThan(50);
    expect(content).not.toContain('s3cret');
    api.clock.advance({ seconds: 16 });
    await mails.tick();
    await ended('sent');
    expect((await state())?.content).toBeNull();
  });

  it('are tried again when the server says later, with growing pauses', async () => {
    catcher.faults.push('try later', 'try later');
    await send();
    await until(async () => (await state())?.error?.includes('451 Busy') === true);
    api.clock.advance({ seconds: 14 });
    await mails.tick();
    expect((await state())?.attempts).toBe(1);
    api.clock.advance({ seconds: 2 });
    await mails.tick();
    await until(async () => (await state())?.attempts === 2 && (await state())?.state === 'waiting');
    api.clock.advance({ seconds: 31 });
    await mails.tick();
    await ended('sent');
    expect(catcher.mails).toHaveLength(1);
  });

  it('are not tried again when the server refuses them', async () => {
    catcher.faults.push('refuse the recipient');
    await send();
    await ended('failed');
    expect((await state())?.error).toContain('550 No such mailbox');
    api.clock.advance({ days: 1 });
    await mails.tick();
    expect(catcher.mails).toHaveLength(0);
  });

  it('are not sent twice when the server takes one and dies before it says so', async () => {
    catcher.faults.push('cut the connection');
    await send();
    await ended('failed');
    api.clock.advance({ days: 1 });
    await mails.tick();
    expect(catcher.mails).toHaveLength(1);
  });

  it('are given up when their process died while it sent them', async () => {
    await api.rows(
      "INSERT INTO mails (id, name, content, state, attempts, sending_since, created_at) VALUES ($1, $2, '', 'sending', 1, $3, $3)",
      ['0195b1f4-7c1c-7000-8000-000000000001', name(), api.clock.now()],
    );
    await mails.tick();
    expect((await state())?.state).toBe('sending');
    api.clock.advance({ minutes: 6 });
    await mails.tick();
    expect((await state())?.state).toBe('unknown');
  });

  it('are forgotten after 30 days', async () => {
    await send();
    await ended('sent');
    api.clock.advance({ days: 31 });
    await mails.tick();
    expect(await state()).toBeUndefined();
  });

  it('do not go out where there is no mail server', async () => {
    const silent = await TestApi.start({ ROLE: 'all' });
    const service = silent.app.get(Mails);
    expect(service.enabled).toBe(false);
    await service.send('nobody', MESSAGE);
    expect(await silent.rows('SELECT id FROM mails')).toEqual([]);
    await silent.stop();
  });
});
