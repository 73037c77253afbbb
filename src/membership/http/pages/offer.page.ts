import type { Invalid } from '../../../shared/domain/domain-error';
import { inWords } from '../../../shared/domain/moment';
import { type Html, html } from '../../../shared/http/pages/html';
import { WebPage } from '../../../shared/http/pages/web-page';
import { personInWords, ROLES } from '../../mails/words';
import type { Offer } from '../../sign-up.service';

/** A form that was sent and could not be accepted. */
export interface Attempt {
  readonly error: Invalid;
  readonly body: unknown;
}

const NOTHING = html``;

const FIELDS = [
  { name: 'first_name', label: html`First name`, autocomplete: 'given-name', required: true },
  {
    name: 'last_name',
    label: html`Last name <small>(if you like)</small>`,
    autocomplete: 'family-name',
    required: false,
  },
] as const;

/** Who invites whom to what, and the form that accepts it. */
export function offerPage(offer: Offer, attempt: Attempt | null): WebPage {
  const { organization, inviter, email, level, message, expiresAt } = offer;
  const words = message?.trim() ?? '';
  return new WebPage(
    attempt ? 400 : 200,
    `Join ${organization}`,
    html`<p>${inviter ? html`<strong>${personInWords(inviter)}</strong> invites you` : html`You are invited`}
to join <strong>${organization}</strong> as ${ROLES[level]}.</p>
${words === '' ? NOTHING : html`<blockquote>${words}</blockquote>`}
<form method="post">
${FIELDS.map((field) => input(field, offer, attempt))}
<p class="hint">Accepting makes an account for ${email} on this server, with a personal API key. The key is shown
once, on the next page.</p>
<button type="submit">Accept the invitation</button>
</form>
<p class="hint">It can be accepted until ${inWords(expiresAt)}, and once. If you did not expect it, close this page: nothing
happens.</p>`,
  );
}

function input(
  { name, label, autocomplete, required }: (typeof FIELDS)[number],
  { firstName }: Offer,
  attempt: Attempt | null,
): Html {
  const value = attempt ? textIn(attempt.body, name) : name === 'first_name' ? firstName : '';
  const problem = attempt?.error.attr === name ? attempt.error : null;
  return html`<label for="${name}">${label}</label>
${problem ? html`<p class="wrong" id="${name}_problem">${inPlainWords(problem)}</p>` : NOTHING}
<input id="${name}" name="${name}" value="${value}" autocomplete="${autocomplete}" maxlength="150"${
    required ? html` required` : NOTHING
  }${problem ? html` aria-invalid="true" aria-describedby="${name}_problem" autofocus` : NOTHING}>
`;
}

function textIn(body: unknown, name: string): string {
  const value = (body as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

const inPlainWords = ({ code, message }: Invalid): string =>
  code === 'blank' || code === 'required' ? 'Tell us your first name.' : message;
