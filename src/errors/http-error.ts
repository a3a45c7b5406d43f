/**
 * An error answer that is thrown on purpose. Its message tells the client what is wrong and where, without internals.
 * Any other error is a defect and becomes a 500.
 */
export class HttpError extends Error {
  readonly status: number;
  /** Whole seconds after which trying again may help (RFC 9110, 10.2.3). */
  readonly retryAfter: number | undefined;
  /** Of a 401: how to authenticate (RFC 9110, 11.6.1). */
  readonly challenge: string | undefined;

  constructor(status: number, message: string, more: { retryAfter?: number; challenge?: string } = {}) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.retryAfter = more.retryAfter;
    this.challenge = more.challenge;
  }
}

export const badRequest = (message: string) => new HttpError(400, message);
export const unauthorized = (message: string, challenge = 'Bearer') =>
  new HttpError(401, message, { challenge });
export const forbidden = (message: string) => new HttpError(403, message);
export const notFound = (message: string) => new HttpError(404, message);
export const notAcceptable = (message: string) => new HttpError(406, message);
export const conflict = (message: string) => new HttpError(409, message);
export const payloadTooLarge = (message: string) => new HttpError(413, message);
export const targetTooLong = (message: string) => new HttpError(414, message);
export const unsupportedMediaType = (message: string) => new HttpError(415, message);
export const expectationFailed = (message: string) => new HttpError(417, message);
export const unprocessable = (message: string) => new HttpError(422, message);
export const tooManyRequests = (message: string, retryAfter: number) =>
  new HttpError(429, message, { retryAfter });
export const headersTooLarge = (message: string) => new HttpError(431, message);
export const unavailable = (message: string, retryAfter: number) =>
  new HttpError(503, message, { retryAfter });

/** A store's server answers but lacks what the service needs; the message is one line for the operator. */
export class UnusableServer extends Error {}
