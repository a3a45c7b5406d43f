/** Why a request is refused, as a word for programs; src/http gives each its status. */
export type DomainErrorReason =
  | 'invalid'
  | 'wrong-code'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-verified'
  | 'not-found'
  | 'conflict'
  | 'candidate-closed'
  | 'posting-closed'
  | 'precondition-failed'
  | 'key-reused'
  | 'too-many'
  | 'unavailable';

interface Details {
  /** Whole seconds after which trying again may help. */
  readonly retryAfter?: number | undefined;
  /** The member of the request at fault: a JSON pointer into the schema of path, query or body. */
  readonly field?: string | undefined;
}

/** A refusal, thrown on purpose. Its message tells the client what is wrong and where, without internals. */
export class DomainError extends Error implements Details {
  readonly reason: DomainErrorReason;
  readonly retryAfter: number | undefined;
  readonly field: string | undefined;

  constructor(reason: DomainErrorReason, message: string, { retryAfter, field }: Details = {}) {
    super(message);
    this.name = 'DomainError';
    this.reason = reason;
    this.retryAfter = retryAfter;
    this.field = field;
  }
}

export const invalid = (message: string, field?: string) => new DomainError('invalid', message, { field });

/** @param place where the fault is, as `body/salaryRange/min`; not within a list, whose schema has another pointer */
export const invalidAt = (place: string, fault: string) =>
  invalid(`${place} ${fault}`, place.replace(/^[^/]*/, '').replaceAll('/', '/properties/'));
export const unauthenticated = (message: string) => new DomainError('unauthenticated', message);
export const forbidden = (message: string) => new DomainError('forbidden', message);
export const notFound = (message: string, field?: string) => new DomainError('not-found', message, { field });
export const conflict = (message: string) => new DomainError('conflict', message);
export const preconditionFailed = (message: string) => new DomainError('precondition-failed', message);
export const keyReused = (message: string) => new DomainError('key-reused', message);
export const tooMany = (message: string, retryAfter: number) => new DomainError('too-many', message, { retryAfter });
export const unavailable = (message: string, retryAfter: number) =>
  new DomainError('unavailable', message, { retryAfter });
