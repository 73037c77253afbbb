/** How long an idle loop waits before it looks for work again, unless it is nudged. In milliseconds. */
const PAUSE = 1_000;
/** The same while no work can be taken, twice as long each time. */
const LONGEST_PAUSE = 8_000;

interface Work<Piece> {
  /** How many pieces are executed at once. */
  readonly concurrency: number;
  /** Takes what is next, at most so many pieces; null when that is not possible now. */
  readonly take: (most: number) => Promise<readonly Piece[] | null>;
  /** Never rejects. */
  readonly execute: (piece: Piece) => Promise<void>;
}

/** Looks for work, and does as much at once as it may, until it is stopped. */
export class WorkLoop<Piece> {
  private readonly active = new Set<Promise<void>>();
  private loop: Promise<void> = Promise.resolve();
  private stopping = false;
  private nudged = false;
  private wake = () => {};

  constructor(private readonly work: Work<Piece>) {}

  start(): void {
    this.loop = this.run();
  }

  /** Has it look now: to be called when there is something to do. */
  nudge(): void {
    this.nudged = true;
    this.wake();
  }

  /** Takes nothing more, and waits until what was taken is done. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
    await Promise.all(this.active);
  }

  private async run(): Promise<void> {
    let pause = PAUSE;
    while (!this.stopping) {
      this.nudged = false;
      const free = this.work.concurrency - this.active.size;
      const pieces = free > 0 ? await this.work.take(free) : [];
      for (const piece of pieces ?? []) this.begin(piece);
      pause = pieces ? PAUSE : Math.min(LONGEST_PAUSE, pause * 2);
      if (!pieces?.length) await this.sleep(pause);
    }
  }

  private begin(piece: Piece): void {
    const execution = this.work.execute(piece).finally(() => {
      this.active.delete(execution);
      this.nudge();
    });
    this.active.add(execution);
  }

  private async sleep(pause: number): Promise<void> {
    // What was nudged while it looked may have been missed by that look.
    if (this.stopping || this.nudged) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
