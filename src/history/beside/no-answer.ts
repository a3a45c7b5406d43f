import { DomainError, type Reason } from '../../errors/domain-error.ts';
import { StoreUnavailable } from '../../errors/store-unavailable.ts';
import { UnusableFile } from '../../errors/unusable-file.ts';
import { LogUnavailable } from '../../event-store/port.ts';
import { fromSentError, toSentError, type SentError } from '../../lib/sent-error.ts';
import { awaitedServer } from '../../stores.ts';

/** Why a thread or a process that is asked about the history has no answer; plain data. */
export type NoAnswer =
  | {
      readonly kind: 'refused';
      readonly reason: Reason;
      readonly message: string;
      readonly retryAfter: number | undefined;
      readonly field: string | undefined;
    }
  /** A store cannot be read now, or a file of the history not be used. */
  | { readonly kind: 'unavailable'; readonly error: SentError }
  | { readonly kind: 'failed'; readonly message: string };

/** An error as plain data. */
export const noAnswer = (error: unknown): NoAnswer => {
  if (error instanceof DomainError) {
    const { reason, retryAfter, field } = error;
    return { kind: 'refused', reason, message: error.message, retryAfter, field };
  }
  const isAway =
    error instanceof LogUnavailable ||
    error instanceof StoreUnavailable ||
    error instanceof UnusableFile ||
    awaitedServer(error) !== undefined;
  if (isAway) return { kind: 'unavailable', error: toSentError(error) };
  return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
};

/** The error that was sent. */
export const errorOf = (because: NoAnswer): Error => {
  switch (because.kind) {
    case 'refused':
      return new DomainError(because.reason, because.message, because);
    case 'unavailable':
      return new StoreUnavailable('The history cannot be read now', { cause: fromSentError(because.error) });
    case 'failed':
      return new Error(`A question about the history failed: ${because.message}`);
  }
};
