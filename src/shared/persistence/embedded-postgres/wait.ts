import { setTimeout } from 'node:timers/promises';

/** How often the outside world is looked at: files and processes announce nothing. */
const INTERVAL_MS = 20;

export function pause(milliseconds = INTERVAL_MS): Promise<void> {
  return setTimeout(milliseconds);
}

/** Waits for a condition; false if it does not come true within the limit (ms). */
export async function waitUntil(condition: () => Promise<boolean>, limit: number): Promise<boolean> {
  const deadline = Date.now() + limit;
  while (!(await condition())) {
    if (Date.now() > deadline) return false;
    await pause();
  }
  return true;
}
