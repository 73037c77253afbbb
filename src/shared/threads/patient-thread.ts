import { Worker } from 'node:worker_threads';

/** In milliseconds; a thread holds some 50 MB. */
const LONGEST_IDLE = 30_000;
/** Of one thread, which ends when it has more. */
const MOST_MEGABYTES = 512;

/**
 * Does work in a thread, where it keeps no request waiting, and that can be ended: what others wrote may be made to
 * take minutes. One piece of work at a time.
 */
export class PatientThread<Question, Answer> {
  private thread: Worker | null = null;
  private idle: NodeJS.Timeout | undefined;

  /**
   * @param code a CommonJS script that posts one message for each that it gets: null where it is broken and has to be
   *   replaced
   * @param modules the paths of modules that the code needs, its `workerData`
   */
  constructor(
    private readonly code: string,
    private readonly modules: Readonly<Record<string, string>>,
  ) {}

  /**
   * @param patience in milliseconds
   * @returns null where it takes longer, or more memory than a thread may have
   */
  ask(question: Question, patience: number): Promise<Answer | null> {
    clearTimeout(this.idle);
    this.thread ??= this.start();
    const thread = this.thread;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => end(null), patience);
      const settle = () => {
        clearTimeout(limit);
        thread.off('message', end).off('error', fail);
      };
      const end = (answer: Answer | null) => {
        settle();
        if (answer === null) this.stop();
        else this.idle = setTimeout(() => this.stop(), LONGEST_IDLE).unref();
        resolve(answer);
      };
      const fail = (error: NodeJS.ErrnoException) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return end(null);
        settle();
        this.stop();
        reject(error);
      };
      thread.on('message', end).on('error', fail);
      thread.postMessage(question);
    });
  }

  private start(): Worker {
    const thread = new Worker(this.code, {
      eval: true,
      workerData: this.modules,
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    });
    thread.unref();
    // One that fails while nobody waits for it is missed by the next question.
    thread.on('error', () => undefined);
    return thread;
  }

  private stop(): void {
    void this.thread?.terminate();
    this.thread = null;
  }
}
