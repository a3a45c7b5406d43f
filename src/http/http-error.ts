import { DomainError, type Reason } from '../errors/domain-error.ts';

/** An error answer for which the domain has no reason, thrown on purpose. */
export class HttpError extends Error {
  readonly status: number;
  /** Of the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Counts against the limit for anonymous requests. */
  readonly isAnonymous: boolean;

  constructor(
    status: number,
    message: string,
    headers: HttpError['headers'] = {},
    isAnonymous = status === 401,
  ) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
    this.isAnonymous = isAnonymous;
  }
}

/** @param challenge how to authenticate (RFC 9110, 11.6.1) */
export const unauthorized = (message: string, challenge = 'Bearer') =>
  new HttpError(401, message, { 'WWW-Authenticate': challenge });
export const notAcceptable = (message: string) => new HttpError(406, message);
export const payloadTooLarge = (message: string) => new HttpError(413, message);
export const targetTooLong = (message: string) => new HttpError(414, message);
/** @param accepted the header that names what is taken */
export const unsupportedMediaType = (message: string, accepted: HttpError['headers']) =>
  new HttpError(415, message, accepted);
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

/** @param seconds whole ones after which trying again may help (RFC 9110, 10.2.3) */
export const retryIn = (seconds: number) => ({ 'Retry-After': String(seconds) });

/** The error answer of a refusal; undefined for any other error. */
export const toHttpError = (error: unknown): HttpError | undefined => {
  if (!(error instanceof DomainError)) return error instanceof HttpError ? error : undefined;
  const { reason, message, retryAfter } = error;
  return reason === 'unauthenticated'
    ? unauthorized(message)
    : new HttpError(statuses[reason], message, retryAfter === undefined ? {} : retryIn(retryAfter));
};
