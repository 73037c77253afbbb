import { DeliveryFailed } from '../../src/batch-export/domain/delivery';

/** What a writer says when it fails as writers do; any other error is one of the test. */
export const failureOf = (writing: Promise<void>): Promise<{ message: string; isTransient: boolean }> =>
  writing.then(
    () => {
      throw new Error('It did not fail');
    },
    (error: unknown) => {
      if (!(error instanceof DeliveryFailed)) throw error;
      return { message: error.message, isTransient: error.isTransient };
    },
  );
