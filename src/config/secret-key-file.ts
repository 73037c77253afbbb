import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The embedded mode's own `SECRET_KEY`, made on first start and readable by its owner alone. Of two first starts
 * at once, both get the key of the one that wrote it first.
 */
export function ownSecretKey(dataDir: string): string {
  const file = fileIn(dataDir);
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

/** The same, where there is one. */
export function ownSecretKeyIfMade(dataDir: string): string | null {
  const file = fileIn(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

const fileIn = (dataDir: string): string => join(dataDir, 'secret-key');
