import { expect } from 'chai';
import { DomainError } from '../../src/errors/domain-error.ts';

/** The refusal that a promise rejects with; fails when it does not. */
export const refusalOf = async (promise: Promise<unknown>): Promise<DomainError> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  return expect.fail('It was not refused');
};

/** What a promise rejects with; undefined when it does not. */
export const rejectionOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The error that a promise rejects with; fails when it does not. */
export const failureOf = async (promise: Promise<unknown>): Promise<Error> => {
  const rejection = await rejectionOf(promise);
  return rejection instanceof Error ? rejection : expect.fail('It was not rejected with an error');
};

/** The message of the error that a promise rejects with; fails when it does not. */
export const messageOf = async (promise: Promise<unknown>): Promise<string> => (await failureOf(promise)).message;
