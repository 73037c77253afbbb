import type { Invalid } from '../../../shared/domain/domain-error';
import { html } from '../../../shared/http/pages/html';
import { WebPage } from '../../../shared/http/pages/web-page';
import { AddressOfMember, SsoEnforced } from '../../domain/invite-errors';
import type { Offer } from '../../sign-up.service';

/** For an address that gets no new account: what to do instead. @param apiUrl where a key accepts the invite */
export function hinderedPage({ organization, email }: Offer, hindrance: Invalid, apiUrl: string): WebPage {
  if (hindrance instanceof AddressOfMember) {
    return new WebPage(
      400,
      `You already belong to ${organization}`,
      html`<p>The account of ${email} is a member, and its keys work there. There is nothing left to accept.</p>`,
    );
  }
  if (hindrance instanceof SsoEnforced) {
    return new WebPage(
      400,
      'This address must use single sign-on',
      html`<p>Whoever owns the domain of ${email} lets its people sign in by single sign-on alone, so that a link does not
make an account for them. Ask the administrators of your company&rsquo;s domain to allow it, or ask whoever invited you
to invite another address of yours to ${organization}.</p>`,
    );
  }
  return new WebPage(
    400,
    'You have an account already',
    html`<p>There is an account of ${email} on this server. To join ${organization} with it, send one of its personal API
keys to the invitation. In a terminal, with the key in place of <code>$KEY</code>:</p>
<pre><code>curl -X POST -H "Authorization: Bearer $KEY" ${apiUrl}</code></pre>
<p>The answer says who has joined, and where. The key that you sent goes on working; you get no new one. If you have none
left, whoever runs this server can make you one.</p>`,
  );
}
