import { Turns } from './turns';

const never = new AbortController().signal;

/** Work that ends when it is told to. */
function task() {
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const task = {
    hasBegun: false,
    end,
    work: () => {
      task.hasBegun = true;
      return done;
    },
  };
  return task;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('Turns', () => {
  it('lets so many work at once, and the others in their order', async () => {
    const turns = new Turns(2, 2);
    const tasks = [task(), task(), task(), task()];
    const all = Promise.all(tasks.map(({ work }) => turns.take('somebody', never, work)));
    const begun = async () => {
      await settle();
      return tasks.map(({ hasBegun }) => hasBegun);
    };
    expect(await begun()).toEqual([true, true, false, false]);
    tasks[1]?.end();
    expect(await begun()).toEqual([true, true, true, false]);
    for (const { end } of tasks) end();
    expect(await begun()).toEqual([true, true, true, true]);
    await all;
  });

  it('gives the turn on when work fails, and forgets who does not wait any longer', async () => {
    const turns = new Turns(1, 1);
    const [first, last] = [task(), task()];
    const failing = turns.take('somebody', never, async () => {
      await first.work();
      throw new Error('failed');
    });
    const stop = new AbortController();
    const impatient = turns.take('somebody', stop.signal, () => Promise.reject(new Error('must not begin')));
    const patient = turns.take('somebody', never, last.work);
    stop.abort(new Error('too long'));
    await expect(impatient).rejects.toThrow('too long');
    first.end();
    await expect(failing).rejects.toThrow('failed');
    last.end();
    await patient;
    await expect(turns.take('somebody', never, async () => 'free')).resolves.toBe('free');
  });

  it('gives nobody all turns, and serves those who wait in rotation', async () => {
    const turns = new Turns(3, 2);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const take = (owner: string) =>
      turns.take(owner, null, () => {
        begun.push(owner);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const all = [...'greedy greedy greedy greedy greedy'.split(' '), 'modest', 'late'].map(take);
    await settle();
    expect(begun).toEqual(['greedy', 'greedy', 'modest']);
    ends.shift()?.();
    await settle();
    expect(begun.splice(3)).toEqual(['late']);
    for (let end = ends.shift(); end; end = ends.shift()) {
      end();
      await settle();
    }
    await Promise.all(all);
    expect(begun.splice(3)).toEqual(['greedy', 'greedy', 'greedy']);
    expect(ends).toEqual([]);
    await expect(turns.take('greedy', null, async () => 'again')).resolves.toBe('again');
  });

  it('begins nothing for whom it is too late', async () => {
    await expect(
      new Turns(1, 1).take('somebody', AbortSignal.abort(new Error('too late')), () => {
        throw new Error('must not begin');
      }),
    ).rejects.toThrow('too late');
  });
});
