import { type Html, html } from '../../../shared/http/pages/html';
import { WebPage } from '../../../shared/http/pages/web-page';
import type { InviteEnding } from '../../domain/invite-ending';
import { INVITE_VALID_DAYS } from '../../domain/organization-invite';

const NOT_FOUND = 404;
const GONE = 410;

const PAGES: Readonly<Record<InviteEnding, { readonly title: string; readonly content: Html }>> = {
  accepted: {
    title: 'This invitation has been used',
    content: html`<p>It worked once, and an account was made or joined with it.</p>
<ul>
<li>If that was you, your key was shown then, and is stored nowhere. Whoever runs this server can make you a new
one.</li>
<li>If it was not you, somebody else has had the link: tell the administrators of the organization now, so that they
remove who came in.</li>
</ul>`,
  },
  replaced: {
    title: 'There is a newer invitation',
    content: html`<p>You were invited once more, and only the newest link works. Look for it in your mail, also in the
spam folder, or ask whoever invited you for it.</p>`,
  },
  withdrawn: {
    title: 'This invitation was withdrawn',
    content: html`<p>It can no longer be accepted. If you should be let in after all, ask somebody in the organization for
a new one.</p>`,
  },
};

/** For a link that leads to no invite, or to one that is no more. */
export function endedPage(ending: InviteEnding | null): WebPage {
  if (ending !== null) return new WebPage(GONE, PAGES[ending].title, PAGES[ending].content);
  return new WebPage(
    NOT_FOUND,
    'This link leads to no invitation',
    html`<p>Mail programs sometimes break a long link: compare it with the one that you got, to its last letter, and copy
it whole. If it still leads here, ask whoever invited you for a new one.</p>`,
  );
}

export const expiredPage = (): WebPage =>
  new WebPage(
    GONE,
    'This invitation has expired',
    html`<p>An invitation can be accepted for ${INVITE_VALID_DAYS} days. Ask whoever invited you for a new one.</p>`,
  );
