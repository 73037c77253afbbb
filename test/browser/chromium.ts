import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** A real Chromium, without a window: Debian's, or the one at `CHROMIUM_PATH`. */
export function launchChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no Chromium at ${executablePath}. Install it (apt-get install chromium), or say in CHROMIUM_PATH ` +
        'where it is.',
    );
  }
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
    ],
  });
}
