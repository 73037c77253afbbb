/** An address, and the name that goes with it. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** What a mail says: the same as plain text and as HTML. All of it is text; nothing of it is markup. */
export interface Message {
  readonly to: Mailbox;
  readonly replyTo?: Mailbox;
  readonly subject: string;
  readonly paragraphs: readonly Paragraph[];
}

/** A text, words that somebody else wrote, or a link with what it is for. */
export type Paragraph =
  | string
  | { readonly quote: string }
  | { readonly link: string; readonly label: string };

/** How a mail begins. */
export const greeting = ({ name }: Mailbox): string => (name === '' ? 'Hello,' : `Hello ${name},`);

export function textOf({ paragraphs }: Message): string {
  const texts = paragraphs.map((paragraph) => {
    if (typeof paragraph === 'string') return paragraph;
    if ('quote' in paragraph) return paragraph.quote.replace(/^/gm, '> ');
    return `${paragraph.label}:\n${paragraph.link}`;
  });
  return `${texts.join('\n\n')}\n`;
}

export function htmlOf({ subject, paragraphs }: Message): string {
  const blocks = paragraphs.map((paragraph) => {
    if (typeof paragraph === 'string') return `<p>${escaped(paragraph)}</p>`;
    if ('quote' in paragraph) return `<blockquote>${escaped(paragraph.quote)}</blockquote>`;
    return `<p><a href="${escaped(paragraph.link)}">${escaped(paragraph.label)}</a></p>`;
  });
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head>` +
    `<body style="font-family: sans-serif; line-height: 1.5; max-width: 40em">${blocks.join('')}</body></html>`
  );
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML shows it, also inside of an attribute in quotes; line breaks stay. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character).replace(/\r?\n/g, '<br>');
