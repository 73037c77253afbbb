import { html } from './html';
import { WebPage } from './web-page';

/** For who opens the server's address in a browser. */
export const welcomePage = (publicUrl: string): WebPage =>
  new WebPage(
    200,
    'This is a Hedgerow server',
    html`<p>Hedgerow is an HTTP API for administering an analytics workspace: organizations, members, projects, batch
exports, pipeline plugins and actions. There is nothing to click here; programs call it, with a personal API key.</p>
<ul>
<li><a href="${publicUrl}/docs/">Documentation</a>: every operation, to read and to try with your key</li>
<li><a href="${publicUrl}/api/schema/">OpenAPI document</a>: for code generators and other tools</li>
</ul>
<h2>A first call</h2>
<pre><code>curl -H "Authorization: Bearer $KEY" ${publicUrl}/api/users/@me/</code></pre>
<p>The first start of the server printed a key. The README that comes with it goes on from there, under
&ldquo;Five minutes with curl&rdquo;. If somebody has invited you, open the link that they sent: it gives you a key of your
own.</p>`,
  );
