import { DomainError } from '../../errors/domain-error.ts';
import { StoreUnavailable } from '../../errors/store-unavailable.ts';
import { UnusableFile } from '../../errors/unusable-file.ts';
import { unreachableServerOf } from '../../stores.ts';

/** Why a thread or a process has no answer to a question about the history, in words for who asked. */
export const toHistoryError = (error: unknown): Error => {
  if (error instanceof DomainError) return error;
  const isAway =
    error instanceof StoreUnavailable || error instanceof UnusableFile || unreachableServerOf(error) !== undefined;
  return isAway
    ? new StoreUnavailable('The history cannot be read now', { cause: error })
    : new Error('A question about the history failed', { cause: error });
};
