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
