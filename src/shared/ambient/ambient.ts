import { AsyncLocalStorage } from 'node:async_hooks';

interface Link {
  readonly of: object;
  readonly value: unknown;
  readonly outer: Link | undefined;
}

/** One for all: for every promise Node copies what each storage holds, which was a sixth of a request. */
const storage = new AsyncLocalStorage<Link>();

/** A value that work finds wherever it goes on, without being handed it: `AsyncLocalStorage`, of which there may be many. */
export class Ambient<T> {
  /** Whatever `work` does finds `value`, until something within it is run with another. */
  run<R>(value: T, work: () => R): R {
    return storage.run({ of: this, value, outer: storage.getStore() }, work);
  }

  get(): T | undefined {
    for (let link = storage.getStore(); link; link = link.outer) {
      if (link.of === this) return link.value as T;
    }
    return undefined;
  }
}
