import { inspect } from 'node:util';
import { DomainError } from '../errors/domain-error.ts';
import { StoreUnavailableError } from '../errors/store-unavailable.ts';
import { UnusableFileError } from '../errors/unusable-file.ts';

/** An error as plain data, for messages between threads: which members of an Error come over is up to its class. */
export interface SerializedError {
  /** The class that it has again on the other side; undefined for any other, which is an Error there. */
  readonly refusal?: Pick<DomainError, 'reason' | 'retryAfter' | 'field'> | undefined;
  readonly store?: 'unavailable' | 'unusable' | undefined;
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | undefined;
  /** Plain data of its class. */
  readonly details?: unknown;
  readonly cause?: SerializedError | undefined;
}

/** Causes of causes that are kept. */
const MAX_CAUSES = 8;

const storeOf = (error: Error): SerializedError['store'] => {
  if (error instanceof StoreUnavailableError) return 'unavailable';
  return error instanceof UnusableFileError ? 'unusable' : undefined;
};

/** @param thrown of any kind */
export const toSerializedError = (thrown: unknown, causes = MAX_CAUSES): SerializedError => {
  if (!(thrown instanceof Error))
    return { name: 'Error', message: typeof thrown === 'string' ? thrown : inspect(thrown) };
  const { name, message, stack, cause } = thrown;
  return {
    ...(thrown instanceof DomainError && {
      refusal: { reason: thrown.reason, retryAfter: thrown.retryAfter, field: thrown.field },
    }),
    store: storeOf(thrown),
    name,
    message,
    stack,
    code: 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined,
    details: 'details' in thrown ? thrown.details : undefined,
    cause: cause === undefined || causes === 0 ? undefined : toSerializedError(cause, causes - 1),
  };
};

const created = ({ refusal, store, message }: SerializedError, options: ErrorOptions | undefined): Error => {
  if (refusal) return new DomainError(refusal.reason, message, refusal);
  if (store === 'unavailable') return new StoreUnavailableError(message, options);
  return store === 'unusable' ? new UnusableFileError(message, options) : new Error(message, options);
};

export const fromSerializedError = (sent: SerializedError): Error => {
  const { name, stack, code, details, cause } = sent;
  return Object.assign(created(sent, cause && { cause: fromSerializedError(cause) }), {
    name,
    ...(stack !== undefined && { stack }),
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
  });
};

/** What was thrown, as an Error whose members all survive the way out of a thread. */
export const toTransferableError = (thrown: unknown): Error => fromSerializedError(toSerializedError(thrown));
