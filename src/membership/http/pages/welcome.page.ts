import { html } from '../../../shared/http/pages/html';
import { WebPage } from '../../../shared/http/pages/web-page';

/** For who has accepted: their key, this once, and what to do with it. @param url of the server, as callers see it */
export const welcomePage = (organization: string, key: string, url: string): WebPage =>
  new WebPage(
    201,
    `Welcome to ${organization}`,
    html`<p>Your account is made. This is your personal API key, by which programs act for you. <strong>It is shown this
once</strong>: put it where you keep passwords before you leave this page.</p>
<label for="key">Your personal API key</label>
<textarea id="key" rows="2" readonly spellcheck="false" autocomplete="off">${key}</textarea>
<div class="copying">
<button type="button" data-copy="key" data-status="copied" hidden>Copy the key</button>
<p id="copied" role="status" aria-live="polite"></p>
</div>
<h2>What next</h2>
<p>In a terminal, with the key in place of <code>$KEY</code>, see who you are:</p>
<pre><code>curl -H "Authorization: Bearer $KEY" ${url}/api/users/@me/</code></pre>
<p>The <a href="${url}/docs/" target="_blank" rel="noopener">documentation (in a new tab)</a> has every operation. Press
Authorize there and paste the key to try them. With this key you can make others that may do less, and delete this one:
see &ldquo;Personal API keys&rdquo;.</p>`,
  );
