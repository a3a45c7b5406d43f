import { expect } from 'chai';
import { HttpError } from '../../src/errors/http-error.ts';

/** The refusal that a promise rejects with; fails when it does not. */
export const refusalOf = async (promise: Promise<unknown>): Promise<HttpError> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
  return expect.fail('It was not refused');
};
