/** One who wants turns, with their work that waits. */
interface Owner {
  working: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets so many do something at once, and of one owner fewer, so that nobody takes all turns. The others wait: the
 * owner of the least that goes on is served next, of equals in rotation, and each in the order in which it came.
 */
export class Turns {
  private working = 0;
  /** Those who work or wait, whoever was served last at the end. */
  private readonly owners = new Map<string, Owner>();

  constructor(
    private readonly atOnce: number,
    private readonly atOnceOfOne: number,
  ) {}

  /** Ends the wait, with the signal's reason, when the signal is aborted. */
  async take<T>(name: string, signal: AbortSignal | null, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    const owner = this.owners.get(name) ?? { working: 0, waiting: [] };
    this.owners.set(name, owner);
    const begun = new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        owner.waiting.splice(owner.waiting.indexOf(begin), 1);
        this.forget(name, owner);
        reject(signal?.reason);
      };
      const begin = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      owner.waiting.push(begin);
    });
    this.serve();
    await begun;
    try {
      return await work();
    } finally {
      this.working -= 1;
      owner.working -= 1;
      this.forget(name, owner);
      this.serve();
    }
  }

  private serve(): void {
    const inOrder = [...this.owners].sort(([, one], [, other]) => one.working - other.working);
    for (const [name, owner] of inOrder) {
      if (this.working >= this.atOnce) return;
      const begin = owner.working < this.atOnceOfOne ? owner.waiting.shift() : undefined;
      if (!begin) continue;
      this.working += 1;
      owner.working += 1;
      this.owners.delete(name);
      this.owners.set(name, owner);
      begin();
    }
  }

  private forget(name: string, owner: Owner): void {
    if (owner.working === 0 && owner.waiting.length === 0) this.owners.delete(name);
  }
}
