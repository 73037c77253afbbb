import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import { Batcher } from './batcher';

/** Answers each question with itself once it is let, and keeps what was asked. */
function asking(most = 100) {
  const batches: string[][] = [];
  const held: (() => void)[] = [];
  const state = { holds: false, error: null as Error | null };
  const batcher = new Batcher<string, string>(
    most,
    (question) => question,
    async (questions) => {
      batches.push([...questions]);
      if (state.holds) await new Promise<void>((go) => held.push(go));
      if (state.error) throw state.error;
      return questions.map((question) => `to ${question}`);
    },
  );
  return { batcher, batches, held, state };
}

// Nobody loses patience unless a test says so.
beforeEach(() =>
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] }),
);
afterEach(() => jest.useRealTimers());

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('A batcher', () => {
  it('asks together what is asked in one turn, and what is equal once', async () => {
    const { batcher, batches } = asking();
    const asked = ['a', 'b', 'a', 'c', 'b'].map((question) => batcher.ask(question));
    expect(batches).toEqual([]);
    expect(await Promise.all(asked)).toEqual(['to a', 'to b', 'to a', 'to c', 'to b']);
    expect(batches).toEqual([['a', 'b', 'c']]);
  });

  it('keeps nothing: what was answered is asked again', async () => {
    const { batcher, batches } = asking();
    await batcher.ask('a');
    await batcher.ask('a');
    expect(batches).toEqual([['a'], ['a']]);
  });

  it('gathers what is asked while a batch is under way, and lets nobody join that', async () => {
    const { batcher, batches, held, state } = asking();
    state.holds = true;
    const first = batcher.ask('a');
    await turn();
    const later = [batcher.ask('a'), batcher.ask('b')];
    await turn();
    later.push(batcher.ask('c'), batcher.ask('a'));
    await turn();
    expect(batches).toEqual([['a']]);
    held[0]?.();
    expect(await first).toBe('to a');
    await turn();
    expect(batches).toEqual([['a'], ['a', 'b', 'c']]);
    held[1]?.();
    expect(await Promise.all(later)).toEqual(['to a', 'to b', 'to c', 'to a']);
  });

  it('does not wait for long for a batch that does not come back', async () => {
    const { batcher, batches, held, state } = asking();
    state.holds = true;
    const first = batcher.ask('a');
    await turn();
    const second = batcher.ask('b');
    jest.advanceTimersByTime(9);
    const third = batcher.ask('c');
    expect(batches).toEqual([['a']]);
    jest.advanceTimersByTime(1);
    expect(batches).toEqual([['a'], ['b', 'c']]);
    held[1]?.();
    expect(await Promise.all([second, third])).toEqual(['to b', 'to c']);
    held[0]?.();
    expect(await first).toBe('to a');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is sent once where patience would end just as the answers have come', async () => {
    const { batcher, batches, held, state } = asking();
    state.holds = true;
    const first = batcher.ask('a');
    await turn();
    const later = [batcher.ask('b')];
    held[0]?.();
    expect(await first).toBe('to a');
    jest.advanceTimersByTime(10);
    later.push(batcher.ask('c'));
    await turn();
    expect(batches).toEqual([['a'], ['b', 'c']]);
    held[1]?.();
    expect(await Promise.all(later)).toEqual(['to b', 'to c']);
  });

  it('asks as the first of those who ask together', async () => {
    const who = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const held: (() => void)[] = [];
    const batcher = new Batcher<string, string>(100, String, async (questions) => {
      seen.push([who.getStore(), ...questions]);
      await new Promise<void>((go) => held.push(go));
      return questions;
    });
    const ask = (question: string) => who.run(`who asks ${question}`, () => batcher.ask(question));
    const asked = [ask('a'), ask('b')];
    await turn();
    asked.push(ask('c'), ask('d'));
    held[0]?.();
    await turn();
    await turn();
    held[1]?.();
    await Promise.all(asked);
    expect(seen).toEqual([
      ['who asks a', 'a', 'b'],
      ['who asks c', 'c', 'd'],
    ]);
  });

  it('goes on after a batch that failed', async () => {
    const { batcher, batches, state } = asking();
    state.error = new Error('failed');
    const first = batcher.ask('a');
    await turn();
    const second = batcher.ask('b');
    await expect(first).rejects.toBe(state.error);
    state.error = null;
    expect(await second).toBe('to b');
    expect(batches).toEqual([['a'], ['b']]);
  });

  it('takes for the next batch what is asked while it hands one on', async () => {
    const batches: string[][] = [];
    const within: Promise<string>[] = [];
    const batcher = new Batcher<string, string>(
      100,
      (question) => question,
      async (questions) => {
        batches.push([...questions]);
        if (batches.length === 1) within.push(batcher.ask('a'));
        return questions;
      },
    );
    await batcher.ask('a');
    await Promise.all(within);
    expect(batches).toEqual([['a'], ['a']]);
  });

  it('has an error reach all of its batch, and no other', async () => {
    const { batcher, batches, state } = asking(2);
    state.error = new Error('failed');
    const asked = await Promise.allSettled(['a', 'b', 'a', 'c'].map((question) => batcher.ask(question)));
    expect(asked).toEqual(asked.map(() => ({ status: 'rejected', reason: state.error })));
    state.error = null;
    expect(await batcher.ask('a')).toBe('to a');
    expect(batches).toEqual([['a', 'b'], ['c'], ['a']]);
  });

  it('has an error of one answer reach those alone who asked for it', async () => {
    const error = new Error('failed');
    const batcher = new Batcher<string, string>(
      100,
      (question) => question,
      async (questions) =>
        questions.map((question) => (question === 'b' ? Promise.reject(error) : Promise.resolve(question))),
    );
    expect(await Promise.allSettled(['a', 'b', 'b'].map((question) => batcher.ask(question)))).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ]);
  });

  it('fails all where it cannot tell whose an answer is, or nothing can be asked', async () => {
    const short = new Batcher<string, string>(100, String, async () => ['to somebody']);
    const broken = new Batcher<string, string>(100, String, () => {
      throw new Error('broken');
    });
    const asked = await Promise.allSettled([short.ask('a'), short.ask('b'), broken.ask('a')]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('asks so many at once, and the others in further batches', async () => {
    const { batcher, batches, held, state } = asking(3);
    state.holds = true;
    const asked = [...'abcdefga'].map((question) => batcher.ask(question));
    await turn();
    expect(batches).toEqual([['a', 'b', 'c'], ['d', 'e', 'f'], ['g']]);
    for (const go of held.reverse()) go();
    expect(await Promise.all(asked)).toEqual([...'abcdefga'].map((question) => `to ${question}`));
  });

  it('gives each their own answer, whenever batches end and whichever fail', async () => {
    const plan = fc.record({
      most: fc.integer({ min: 1, max: 4 }),
      turns: fc.array(fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 8 }), { maxLength: 6 }),
      failing: fc.infiniteStream(fc.boolean()),
      impatient: fc.infiniteStream(fc.boolean()),
      order: fc.infiniteStream(fc.nat()),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ most, turns, failing, impatient, order }) => {
        const open: (() => void)[] = [];
        /** Which questions the batches had, and which batches failed. */
        const sent: {
          readonly questions: readonly number[];
          readonly turn: number;
          readonly fails: boolean;
        }[] = [];
        let now = 0;
        const batcher = new Batcher<number, { question: number; batch: number }>(
          most,
          String,
          async (questions) => {
            const batch = sent.length;
            const fails = failing.next().value === true;
            sent.push({ questions, turn: now, fails });
            await new Promise<void>((go) => open.push(go));
            if (fails) throw batch;
            return questions.map((question) => ({ question, batch }));
          },
        );
        const asked: {
          question: number;
          turn: number;
          answer: Promise<{ question: number; batch: number }>;
        }[] = [];
        for (const questions of turns) {
          now += 1;
          for (const question of questions)
            asked.push({ question, turn: now, answer: batcher.ask(question) });
          await turn();
          now += 1;
          if (impatient.next().value === true) jest.advanceTimersByTime(10);
          else open.shift()?.();
        }
        const settled = Promise.allSettled(asked.map(({ answer }) => answer));
        let isOver = false;
        void settled.then(() => {
          isOver = true;
        });
        while (!isOver) {
          now += 1;
          if (open.length > 0) open.splice((order.next().value ?? 0) % open.length, 1)[0]?.();
          await turn();
        }
        for (const [place, answer] of (await settled).entries()) {
          const { question, turn: askedIn } = asked[place] ?? { question: -1, turn: Infinity };
          const batch = answer.status === 'fulfilled' ? answer.value.batch : answer.reason;
          if (answer.status === 'fulfilled') expect(answer.value.question).toBe(question);
          expect(sent[batch]?.fails).toBe(answer.status === 'rejected');
          expect(sent[batch]?.questions).toContain(question);
          expect(sent[batch]?.turn).toBeGreaterThanOrEqual(askedIn);
        }
        for (const { questions } of sent) expect(questions.length).toBeLessThanOrEqual(most);
        // What goes together has nothing twice.
        for (const { turn: sentIn } of sent) {
          const together = sent
            .filter(({ turn: other }) => other === sentIn)
            .flatMap((batch) => batch.questions);
          expect(together).toEqual([...new Set(together)]);
        }
      }),
    );
  });
});
