import { inspect } from 'node:util';

/** An error as plain data, for messages between threads: which members of an Error come over is up to its class. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
  /** Plain data of its class. */
  readonly details: unknown;
  readonly cause: SentError | undefined;
}

/** Causes of causes that are kept. */
const MAX_CAUSES = 8;

/** @param thrown of any kind */
export const toSentError = (thrown: unknown, causes = MAX_CAUSES): SentError => {
  if (!(thrown instanceof Error))
    return {
      name: 'Error',
      message: typeof thrown === 'string' ? thrown : inspect(thrown),
      stack: undefined,
      code: undefined,
      details: undefined,
      cause: undefined,
    };
  const { name, message, stack, cause } = thrown;
  return {
    name,
    message,
    stack,
    code: 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined,
    details: 'details' in thrown ? thrown.details : undefined,
    cause: cause === undefined || causes === 0 ? undefined : toSentError(cause, causes - 1),
  };
};

export const fromSentError = ({ name, message, stack, code, details, cause }: SentError): Error =>
  Object.assign(new Error(message, cause && { cause: fromSentError(cause) }), {
    name,
    ...(stack !== undefined && { stack }),
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
  });

/** What was thrown, as an Error whose members all survive the way out of a thread. */
export const plainError = (thrown: unknown): Error => fromSentError(toSentError(thrown));
