import { DomainError } from '../../errors/domain-error.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable.ts';
import { UnusableFileError } from '../../errors/unusable-file.ts';
import { unreachableServerMessageOf } from '../../stores.ts';

/** Why a thread or a process has no answer to a question about the history, in words for who asked. */
export const toHistoryError = (error: unknown): Error => {
  if (error instanceof DomainError) return error;
  const isAway =
    error instanceof StoreUnavailableError ||
    error instanceof UnusableFileError ||
    unreachableServerMessageOf(error) !== undefined;
  return isAway
    ? new StoreUnavailableError('The history cannot be read now', { cause: error })
    : new Error('A question about the history failed', { cause: error });
};
