import { DomainError } from '../../errors/domain-error.ts';
import { httpStatusOf, type ErrorCode } from './error-codes.ts';

/** An error answer that is given on purpose; the message is for the client. */
export class HttpError extends Error {
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it counts against the limit for anonymous requests. */
  readonly countsAsAnonymous: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    countsAsAnonymous = code === 'unauthenticated',
  ) {
    super(message);
    this.code = code;
    this.headers = headers;
    this.countsAsAnonymous = countsAsAnonymous;
  }

  get status(): number {
    return httpStatusOf(this.code);
  }
}

/**
 * A 401 says how to authenticate (RFC 9110, 11.6.1).
 *
 * @param cause what the application log says beside the message
 */
export const unauthorized = (message: string, challenge = 'Bearer', cause?: unknown) =>
  Object.assign(new HttpError('unauthenticated', message, { 'WWW-Authenticate': challenge }), { cause });

/** @param seconds whole ones after which trying again may help (RFC 9110, 10.2.3) */
export const retryAfterHeader = (seconds: number) => ({ 'Retry-After': String(seconds) });

/** The error answer of a refusal; undefined for any other error. */
export const toHttpError = (error: unknown): HttpError | undefined => {
  if (!(error instanceof DomainError)) return error instanceof HttpError ? error : undefined;
  const { reason, message, retryAfter, field } = error;
  if (reason === 'unauthenticated') return unauthorized(message);
  return new HttpError(reason, message, {
    ...(retryAfter !== undefined && retryAfterHeader(retryAfter)),
    ...(field !== undefined && { 'Error-Field': field }),
  });
};
