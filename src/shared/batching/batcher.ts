import { AsyncResource } from 'node:async_hooks';

interface Asked<Question, Answer> {
  readonly question: Question;
  readonly answer: Promise<Answer>;
  readonly resolve: (answer: Answer | PromiseLike<Answer>) => void;
  readonly reject: (error: unknown) => void;
}

/** In milliseconds: whoever has waited for so long for others' answers waits no longer. */
const PATIENCE = 10;

/**
 * Has what is asked in one turn of the event loop, or while others wait for their answers, answered together, what is
 * equal once: the more is asked, the more is asked at once. Nothing is kept: whoever asks once a batch is under way is
 * in the next one, so that an answer is never older than its question.
 */
export class Batcher<Question, Answer> {
  /** What the next batches are made of, by its key. */
  private asked = new Map<string, Asked<Question, Answer>>();
  /** How many batches are under way. */
  private underWay = 0;
  private patience: NodeJS.Timeout | undefined;
  /** Sends the next ones, as who was the first of them to ask. */
  private send: () => void = () => undefined;

  /**
   * @param most so many questions are in a batch; more make several, at once
   * @param keyOf tells questions apart
   * @param answersTo the answers, each in the place of its question; an answer that fails, fails alone. It is called
   *   in the async context of whoever was the first to ask.
   */
  constructor(
    private readonly most: number,
    private readonly keyOf: (question: Question) => string,
    private readonly answersTo: (
      questions: readonly Question[],
    ) => Promise<readonly (Answer | PromiseLike<Answer>)[]>,
  ) {}

  ask(question: Question): Promise<Answer> {
    const key = this.keyOf(question);
    const equal = this.asked.get(key);
    if (equal) return equal.answer;
    if (this.asked.size === 0) this.plan();
    let resolve: Asked<Question, Answer>['resolve'] = () => undefined;
    let reject: Asked<Question, Answer>['reject'] = () => undefined;
    const answer = new Promise<Answer>((onAnswer, onError) => {
      resolve = onAnswer;
      reject = onError;
    });
    this.asked.set(key, { question, answer, resolve, reject });
    return answer;
  }

  private plan(): void {
    this.send = AsyncResource.bind(() => this.sendAll());
    if (this.underWay === 0) setImmediate(this.send);
    else this.patience = setTimeout(this.send, PATIENCE);
  }

  private sendAll(): void {
    const all = [...this.asked.values()];
    this.asked = new Map();
    for (let start = 0; start < all.length; start += this.most) {
      void this.settle(all.slice(start, start + this.most));
    }
  }

  private async settle(batch: readonly Asked<Question, Answer>[]): Promise<void> {
    this.underWay += 1;
    try {
      const answers = await this.answersTo(batch.map(({ question }) => question));
      if (answers.length !== batch.length) throw new Error('There is not one answer to each question');
      for (const [place, { resolve }] of batch.entries()) resolve(answers[place] as Answer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0 && this.asked.size > 0) {
        clearTimeout(this.patience);
        setImmediate(this.send);
      }
    }
  }
}
