/** How long answers to a path took, in milliseconds, and which were no 200. */
export class Probe {
  readonly times: number[] = [];
  readonly others: string[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(
    readonly path: string,
    private readonly url: string,
    every: number,
  ) {
    this.timer = setInterval(() => void this.ask(), every);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async ask(): Promise<void> {
    const start = performance.now();
    try {
      const answer = await fetch(this.url + this.path);
      await answer.arrayBuffer();
      if (answer.status !== 200) this.others.push(String(answer.status));
    } catch (error) {
      this.others.push(error instanceof Error ? error.message : String(error));
    }
    this.times.push(performance.now() - start);
  }
}

/** The value that so many percent of them do not exceed; 0 of none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}
