import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Asset {
  /** Below the public URL; another one after each change, so that it may be cached for ever. */
  readonly path: string;
  readonly content: string;
}

function asset(file: string): Asset {
  const content = readFileSync(join(__dirname, 'assets', file), 'utf8');
  const version = hash('sha256', content, 'hex').slice(0, 12);
  return { path: `/pages/${file}?v=${version}`, content };
}

export const STYLES = asset('page.css');
export const COPY_SCRIPT = asset('copy.js');
export const ICON = asset('icon.svg');
