import { PatientThread } from '../../shared/threads/patient-thread';
import { Turns } from '../../shared/turns/turns';
import { QueryMeaningless, TooManyQueries } from './query-errors';

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

const newThread = () =>
  new PatientThread<string, string>(PARSE_EACH, { parser: require.resolve('@posthog/hogql-parser') });

/** How long a query may take, in milliseconds. */
export interface Patience {
  /** For the parser. */
  readonly reading: number;
  /** For its turn; null: as long as it takes. */
  readonly waiting: number | null;
}

/**
 * Reads queries on two threads, of one owner one at a time: the time that a query takes grows fast with its nesting,
 * and who has slow ones keeps only themselves waiting.
 */
export class QueryParser {
  private readonly threads = [newThread(), newThread()];
  private readonly turns = new Turns(this.threads.length, 1);

  /**
   * The syntax tree, or an error, as JSON.
   * @throws QueryMeaningless for one that the parser does not get through
   * @throws TooManyQueries when its turn does not come
   */
  async parse(text: string, owner: string, { reading, waiting }: Patience): Promise<string> {
    const patience = waiting === null ? null : AbortSignal.timeout(waiting);
    try {
      return await this.turns.take(owner, patience, () => this.read(text, reading));
    } catch (error) {
      throw patience?.aborted && error === patience.reason ? new TooManyQueries() : error;
    }
  }

  private async read(text: string, patience: number): Promise<string> {
    // The one that was used last is warm. There are as many as turns.
    const thread = this.threads.pop() ?? newThread();
    try {
      const tree = await thread.ask(text, patience);
      if (tree !== null) return tree;
      throw new QueryMeaningless('It is too complex. Write it shorter, or nest it less deeply');
    } finally {
      this.threads.push(thread);
    }
  }
}
