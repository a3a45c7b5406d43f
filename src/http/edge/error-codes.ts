/**
 * The words of the header `Error-Code`, each with its status and its meaning for the documentation: the reasons of
 * domain errors, and what HTTP itself refuses. Programs rely on them: a word is never renamed, and keeps its status.
 */
const codes = {
  invalid: [400, 'The request is not valid; the message says what is wrong and where.'],
  'wrong-code': [400, 'The one-time code is wrong; another try may be left.'],
  unauthenticated: [401, 'The API key or the bearer token is missing or not valid.'],
  forbidden: [403, 'Authenticated, but not allowed.'],
  'not-verified': [403, 'The one-time code or the token is unknown, expired or used: start over.'],
  'not-found': [404, 'What the request names does not exist.'],
  'method-not-allowed': [405, 'The path has no such method; Allow lists those it has.'],
  'not-acceptable': [406, 'The Accept header excludes the type of the answer.'],
  'request-timeout': [408, 'The request did not arrive in time.'],
  conflict: [409, 'The state of the resource does not allow it.'],
  'candidate-closed': [409, 'The posting is closed, and so is the candidate.'],
  'posting-closed': [409, 'The posting is closed.'],
  'precondition-failed': [
    412,
    'If-Match or If-None-Match does not hold: the resource has changed, does not exist, or exists already.',
  ],
  'body-too-large': [413, 'The body is over 100 KiB.'],
  'url-too-long': [414, 'The URL of the request is over 8 KiB.'],
  'unsupported-media-type': [415, 'The body is not JSON.'],
  'expectation-failed': [417, 'The header Expect is not 100-continue.'],
  'key-reused': [422, 'The Idempotency-Key was used with another request.'],
  'too-many': [429, 'Too many requests, or a quota is used up; Retry-After says when to try again.'],
  'headers-too-large': [431, 'The headers are over 16 KiB, or 1,000 or more.'],
  internal: [500, 'Internal error; X-Request-Id names it in the application log.'],
  unavailable: [503, 'Not ready, unable to store, or too busy; Retry-After says when to try again.'],
} as const satisfies Readonly<Record<string, readonly [status: number, meaning: string]>>;

export type ErrorCode = keyof typeof codes;

export const httpStatusOf = (code: ErrorCode): number => codes[code][0];

export const errorCodes = Object.entries(codes).map(([code, [status, meaning]]) => ({ code, status, meaning }));
