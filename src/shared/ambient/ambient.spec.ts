import { setImmediate } from 'node:timers/promises';
import { Ambient } from './ambient';

describe('An ambient value', () => {
  const [colour, size] = [new Ambient<string>(), new Ambient<number>()];

  it('is found wherever the work goes on, and nowhere else', async () => {
    const seen = await Promise.all(
      ['red', 'blue'].map((value) =>
        colour.run(value, async () => {
          await setImmediate();
          return colour.get();
        }),
      ),
    );
    expect(seen).toEqual(['red', 'blue']);
    expect(colour.get()).toBeUndefined();
  });

  it('is hidden by one within, and there again behind it', () => {
    colour.run('red', () => {
      expect(colour.run('blue', () => colour.get())).toBe('blue');
      expect(colour.get()).toBe('red');
    });
  });

  it('leaves others as they are', () => {
    colour.run('red', () =>
      size.run(3, () => {
        expect([colour.get(), size.get()]).toEqual(['red', 3]);
      }),
    );
    colour.run('red', () => expect(size.get()).toBeUndefined());
  });
});
