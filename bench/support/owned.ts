type End = () => void | Promise<void>;

/** What a measurement has started. It ends with it, the latest first. */
export class Owned {
  private readonly ends: End[] = [];
  private ended: Promise<void> | undefined;

  add(end: End): void {
    this.ends.push(end);
  }

  /** Calling it again does nothing more. */
  end(): Promise<void> {
    this.ended ??= this.endAll();
    return this.ended;
  }

  private async endAll(): Promise<void> {
    for (let end = this.ends.pop(); end; end = this.ends.pop()) {
      try {
        await end();
      } catch (error) {
        console.error(error);
      }
    }
  }
}

/** Runs `work`, and ends what it owns when it is over, fails, or is interrupted. */
export async function owning(work: (owned: Owned) => Promise<void>): Promise<void> {
  const owned = new Owned();
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      interrupted = true;
      void owned.end().finally(() => process.exit(130));
    });
  }
  try {
    await work(owned);
  } catch (error) {
    // What was interrupted fails, since what it worked with is gone.
    if (!interrupted) throw error;
  } finally {
    await owned.end();
  }
}
