import { isDatabaseUnavailable } from '../../shared/persistence/database-errors';

/** In milliseconds: how long a database that restarts is waited for. A process that stops has less time. */
const LONGEST = 60_000;
const LONGEST_WHEN_STOPPING = 2_000;
const PAUSE = 250;

/** Does the work, again and again while the database does not answer. @throws what else goes wrong */
export async function patiently<T>(work: () => Promise<T>, stopping: AbortSignal): Promise<T> {
  const begun = Date.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const longest = stopping.aborted ? LONGEST_WHEN_STOPPING : LONGEST;
      if (!isDatabaseUnavailable(error) || Date.now() - begun > longest) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}
