import { escaped, htmlOf, type Message, textOf } from './message';

const message: Message = {
  to: { name: 'Ada', address: 'ada@example.com' },
  subject: 'Join <Acme>',
  paragraphs: [
    'Hello & welcome to <b>Acme</b>.',
    { quote: 'Come in!\n<script>alert(1)</script>' },
    { link: 'https://example.com/?a=1&b="2"', label: 'Accept' },
  ],
};

describe('A message', () => {
  it('is plain text', () => {
    expect(textOf(message)).toBe(
      'Hello & welcome to <b>Acme</b>.\n\n> Come in!\n> <script>alert(1)</script>\n\nAccept:\nhttps://example.com/?a=1&b="2"\n',
    );
  });

  it('is HTML in which every word is text', () => {
    const html = htmlOf(message);
    expect(html).toContain('<p>Hello &amp; welcome to &lt;b&gt;Acme&lt;/b&gt;.</p>');
    expect(html).toContain('<blockquote>Come in!<br>&lt;script&gt;alert(1)&lt;/script&gt;</blockquote>');
    expect(html).toContain('<a href="https://example.com/?a=1&amp;b=&quot;2&quot;">Accept</a>');
    expect(html).toContain('<title>Join &lt;Acme&gt;</title>');
    expect(html).not.toMatch(/<script|<b>/);
  });

  it('escapes what could end an attribute', () => {
    expect(escaped(`"'<>&`)).toBe('&quot;&#39;&lt;&gt;&amp;');
  });
});
