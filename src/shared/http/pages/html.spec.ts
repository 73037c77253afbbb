import { html } from './html';

describe('Markup', () => {
  it('has every text escaped, also in an attribute', () => {
    const evil = `"><script>alert('&')</script>`;
    expect(html`<p title="${evil}">${evil} ${5}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt; 5</p>',
    );
  });

  it('takes markup in as it is, one piece or many', () => {
    const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
    expect(html`<ul>${items}</ul>${html`<br>`}`.text).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul><br>');
  });

  it('leaves backslashes alone', () => {
    expect(html`a\\n${'\\'}`.text).toBe('a\\n\\');
  });
});
