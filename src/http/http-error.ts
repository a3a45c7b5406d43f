import { isHttpError, type HttpError } from 'http-errors';
import { DomainError, type Reason } from '../errors/domain-error.ts';

/**
 * An error of http-errors for the client. Created by the package it takes five times as long, and a flood has many.
 *
 * @param countsAsAnonymous whether it counts against the limit for anonymous requests
 */
export const createError = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  countsAsAnonymous = status === 401,
): HttpError =>
  Object.assign(new Error(message), { status, statusCode: status, expose: true, headers, countsAsAnonymous });

/** A 401 says how to authenticate (RFC 9110, 11.6.1). */
export const unauthorized = (message: string, challenge = 'Bearer') =>
  createError(401, message, { 'WWW-Authenticate': challenge });
export const payloadTooLarge = (message: string) => createError(413, message);
/** @param accepted the header that names what is taken */
export const unsupportedMediaType = (message: string, accepted: Readonly<Record<string, string>>) =>
  createError(415, message, accepted);

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

/** The error answer of a refusal, whose message is for the client; undefined for any other error. */
export const toHttpError = (error: unknown): HttpError | undefined => {
  if (!(error instanceof DomainError)) return isHttpError(error) && error.expose ? error : undefined;
  const { reason, message, retryAfter } = error;
  if (reason === 'unauthenticated') return unauthorized(message);
  return createError(statuses[reason], message, retryAfter === undefined ? {} : retryIn(retryAfter));
};
