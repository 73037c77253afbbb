import { COPY_SCRIPT, ICON, STYLES } from './assets';
import { type Html, html } from './html';

/** A page for people, as one file of HTML: readable without styles, usable without scripts. */
export class WebPage {
  constructor(
    readonly status: number,
    /** The heading of the page. */
    readonly title: string,
    readonly content: Html,
  ) {}
}

/** A page may load what the server itself has for it, and send its form back there: no inline script, no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join(';');

/** Pages have secrets in their address and in their text: neither is kept or told to another site. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
};

/** The page as a browser gets it. @param publicUrl as callers see the server, without a slash at the end */
export function documentOf({ title, content }: WebPage, publicUrl: string): string {
  const prefix = URL.canParse(publicUrl) ? new URL(publicUrl).pathname.replace(/\/$/, '') : '';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Hedgerow</title>
<link rel="icon" href="${prefix}${ICON.path}" type="image/svg+xml">
<link rel="stylesheet" href="${prefix}${STYLES.path}">
<script src="${prefix}${COPY_SCRIPT.path}" defer></script>
</head>
<body>
<header><img src="${prefix}${ICON.path}" alt="" width="28" height="28"> Hedgerow</header>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text;
}
