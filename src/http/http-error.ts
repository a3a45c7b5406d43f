import { DomainError, type Reason } from '../errors/domain-error.ts';

/** An error answer for which the domain has no reason, thrown on purpose. */
export class HttpError extends Error {
  readonly status: number;
  /** Whole seconds after which trying again may help (RFC 9110, 10.2.3). */
  readonly retryAfter: number | undefined;
  /** Of a 401: how to authenticate (RFC 9110, 11.6.1). */
  readonly challenge: string | undefined;
  /** Counts against the limit for anonymous requests, as a 401 does. */
  readonly isAnonymous: boolean;

  constructor(
    status: number,
    message: string,
    more: { retryAfter?: number | undefined; challenge?: string; isAnonymous?: true } = {},
  ) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.retryAfter = more.retryAfter;
    this.challenge = more.challenge;
    this.isAnonymous = more.isAnonymous ?? status === 401;
  }
}

export const unauthorized = (message: string, challenge = 'Bearer') =>
  new HttpError(401, message, { challenge });
export const notAcceptable = (message: string) => new HttpError(406, message);
export const payloadTooLarge = (message: string) => new HttpError(413, message);
export const targetTooLong = (message: string) => new HttpError(414, message);
export const unsupportedMediaType = (message: string) => new HttpError(415, message);
export const expectationFailed = (message: string) => new HttpError(417, message);
export const headersTooLarge = (message: string) => new HttpError(431, message);

export const statuses = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'precondition-failed': 412,
  'key-reused': 422,
  'too-many': 429,
  unavailable: 503,
} as const satisfies Record<Reason, number>;

/** The error answer of a refusal; undefined for any other error. */
export const toHttpError = (error: unknown): HttpError | undefined => {
  if (!(error instanceof DomainError)) return error instanceof HttpError ? error : undefined;
  const { reason, message, retryAfter } = error;
  return reason === 'unauthenticated'
    ? unauthorized(message)
    : new HttpError(statuses[reason], message, { retryAfter });
};
