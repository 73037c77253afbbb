import { accessSync } from 'node:fs';

/**
 * Jest runs tests in a realm with an `Error` of its own, of which the errors that Node itself makes are no instances.
 * With this they are, as they are in the server: libraries ask.
 */
const ErrorOfNode = constructorOf(() => accessSync('/nowhere/at all'));

function constructorOf(failing: () => void): ErrorConstructor {
  try {
    failing();
  } catch (error) {
    return (error as Error).constructor as ErrorConstructor;
  }
  throw new Error('It did not fail');
}

const isInstance = Function.prototype[Symbol.hasInstance];

Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    return isInstance.call(this, value) || (this === Error && value instanceof ErrorOfNode);
  },
});
