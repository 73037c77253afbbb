import { DOMAIN_NAME } from './domain-name';

describe('A domain name (DOM-06)', () => {
  it.each(['posthog.com', 'eu.posthog.com', 'a.co', 'x1.example-2.museum', 'a-b-c.de', '1.example.com'])(
    'is: %s',
    (name) => expect(DOMAIN_NAME.test(name)).toBe(true),
  );

  it.each([
    'test@posthog.com',
    '💩.com',
    'one.two.c',
    '--alpha.com',
    'javascript: alert(1)',
    'Posthog.com',
    'posthog',
    '.com',
    'posthog.com.',
    'a..com',
    'a-.com',
    '-a.com',
    'a--b.com',
    'a_b.com',
    '1.2.3.4',
    'posthog.com\n',
    'http://posthog.com',
    ' posthog.com',
  ])('is not: %j', (name) => expect(DOMAIN_NAME.test(name)).toBe(false));

  it('is decided at once, whatever the text', () => {
    const start = performance.now();
    for (const text of [`${'a'.repeat(128)}`, 'a-'.repeat(64), 'a.'.repeat(64), `${'a-a.'.repeat(32)}1`]) {
      expect(DOMAIN_NAME.test(text)).toBe(false);
    }
    expect(performance.now() - start).toBeLessThan(100);
  });
});
