/** Why a request is refused; src/http gives each reason its status. */
export type Reason =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'precondition-failed'
  | 'key-reused'
  | 'too-many'
  | 'unavailable';

/** A refusal, thrown on purpose. Its message tells the client what is wrong and where, without internals. */
export class DomainError extends Error {
  readonly reason: Reason;
  /** Whole seconds after which trying again may help. */
  readonly retryAfter: number | undefined;

  constructor(reason: Reason, message: string, retryAfter?: number) {
    super(message);
    this.name = 'DomainError';
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

export const invalid = (message: string) => new DomainError('invalid', message);
export const unauthenticated = (message: string) => new DomainError('unauthenticated', message);
export const forbidden = (message: string) => new DomainError('forbidden', message);
export const notFound = (message: string) => new DomainError('not-found', message);
export const conflict = (message: string) => new DomainError('conflict', message);
export const preconditionFailed = (message: string) => new DomainError('precondition-failed', message);
export const keyReused = (message: string) => new DomainError('key-reused', message);
export const tooMany = (message: string, retryAfter: number) =>
  new DomainError('too-many', message, retryAfter);
export const unavailable = (message: string, retryAfter: number) =>
  new DomainError('unavailable', message, retryAfter);
