import { Worker } from 'node:worker_threads';
import { QueryMeaningless } from './query-errors';

/** In milliseconds; the parser is some 50 MB. */
const LONGEST_IDLE = 30_000;

/**
 * A parser remembers what it has seen, and with that memory a short query may take it minutes, hence a new one for
 * each. A query that it cannot get through may leave it broken: that is an answer as well.
 */
const PARSE_EACH = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { default: createParser } = require(workerData.parser);
  const parsed = (parser, text) => {
    try {
      return parser.parseSelect(text, true);
    } catch {
      return null;
    }
  };
  parentPort.on('message', async (text) => parentPort.postMessage(parsed(await createParser(), text)));`;

/**
 * Runs the parser, one query at a time, where it keeps nobody waiting but those who have a query: the time that a
 * query takes grows fast with its nesting.
 */
export class ParserThread {
  private thread: Worker | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private idle: NodeJS.Timeout | undefined;

  /**
   * The syntax tree, or an error, as JSON.
   * @param patience in milliseconds
   * @throws QueryMeaningless for one that the parser does not get through
   */
  parse(text: string, patience: number): Promise<string> {
    const tree = this.last.then(() => this.ask(text, patience));
    this.last = tree.catch(() => undefined);
    return tree;
  }

  private ask(text: string, patience: number): Promise<string> {
    clearTimeout(this.idle);
    this.thread ??= this.start();
    const thread = this.thread;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => end(null), patience);
      const settle = () => {
        clearTimeout(limit);
        thread.off('message', end).off('error', fail);
      };
      const end = (tree: string | null) => {
        settle();
        if (tree !== null) {
          this.idle = setTimeout(() => this.stop(), LONGEST_IDLE).unref();
          resolve(tree);
        } else {
          this.stop();
          reject(new QueryMeaningless('It is too complex. Write it shorter, or nest it less deeply'));
        }
      };
      const fail = (error: Error) => {
        settle();
        this.stop();
        reject(error);
      };
      thread.on('message', end).on('error', fail);
      thread.postMessage(text);
    });
  }

  private start(): Worker {
    const thread = new Worker(PARSE_EACH, {
      eval: true,
      workerData: { parser: require.resolve('@posthog/hogql-parser') },
    });
    thread.unref();
    // One that fails while nobody waits for it is missed by the next query.
    thread.on('error', () => undefined);
    return thread;
  }

  private stop(): void {
    void this.thread?.terminate();
    this.thread = null;
  }
}
