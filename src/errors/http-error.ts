/**
 * An answer other than success that was decided on purpose. The message is for the caller: it says what is wrong
 * and where, and holds no internals. Everything else that is thrown is a defect and becomes a 500.
 */
export class Refusal extends Error {
  readonly status: number;
  /** Whole seconds after which trying again may help (RFC 9110, 10.2.3). */
  readonly retryAfter: number | undefined;
  /** Of a 401: how to authenticate (RFC 9110, 11.6.1). */
  readonly challenge: string | undefined;

  constructor(status: number, message: string, more: { retryAfter?: number; challenge?: string } = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.retryAfter = more.retryAfter;
    this.challenge = more.challenge;
  }
}

export const badRequest = (message: string) => new Refusal(400, message);
export const unauthorized = (message: string, challenge = 'Bearer') =>
  new Refusal(401, message, { challenge });
export const forbidden = (message: string) => new Refusal(403, message);
export const notFound = (message: string) => new Refusal(404, message);
export const notAcceptable = (message: string) => new Refusal(406, message);
export const conflict = (message: string) => new Refusal(409, message);
export const payloadTooLarge = (message: string) => new Refusal(413, message);
export const targetTooLong = (message: string) => new Refusal(414, message);
export const unsupportedMediaType = (message: string) => new Refusal(415, message);
export const expectationFailed = (message: string) => new Refusal(417, message);
export const unprocessable = (message: string) => new Refusal(422, message);
export const tooManyRequests = (message: string, retryAfter: number) =>
  new Refusal(429, message, { retryAfter });
export const headersTooLarge = (message: string) => new Refusal(431, message);
export const unavailable = (message: string, retryAfter: number) => new Refusal(503, message, { retryAfter });

/** A server that answers and cannot do what the service needs, in one line for the operator. */
export class UnusableServer extends Error {}
