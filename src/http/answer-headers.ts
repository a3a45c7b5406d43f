import { CODE_HEADER, MASKS_HEADER, POSITION_HEADER, TIME_HEADER } from '../history/operations/headers.ts';

const text = (description: string) => ({ description, schema: { type: 'string' } });
const number = (description: string) => ({ description, schema: { type: 'integer' } });

/** Headers of answers that clients may use, as OpenAPI describes them; scripts of allowed origins may read them. */
export const answerHeaders = {
  'X-Request-Id': text('Names the request in the application log.'),
  RateLimit: text('How many requests are left (`r`), and for how many seconds (`t`), of each limit.'),
  'RateLimit-Policy': text('Each limit: so many requests (`q`) in so many seconds (`w`).'),
  'RateLimit-Limit': number('So many requests may be sent in a window.'),
  'RateLimit-Remaining': number('So many of them are left.'),
  'RateLimit-Reset': number('Seconds until the next window.'),
  'Retry-After': number('Seconds after which trying again may help.'),
  'Error-Code': text('What is wrong, as one word of a list that may grow; programs go by it.'),
  'Error-Field': text(
    'Which member of the request is wrong: a JSON pointer into the schema of its path, query or body. Left out where it is none.',
  ),
  'WWW-Authenticate': text('How to authenticate.'),
  'Accept-Encoding': text('The codings that are taken, where the body has another.'),
  'Accept-Patch': text('The type that a PATCH takes, where the body has another.'),
  'Consistency-Token': text('A read that carries it shows what was written.'),
  'Idempotent-Replayed': text(
    '`true` where the answer is that of an earlier request with the Idempotency-Key.',
  ),
  ETag: text('Names the answer: as long as it is the same, the bytes are.'),
  [POSITION_HEADER]: text(
    'Up to which events were looked at; with it as `to`, or `at`, the answer is the same again.',
  ),
  [TIME_HEADER]: text('When the event there was recorded; left out before the first event.'),
  [CODE_HEADER]: text('The version of the code.'),
  [MASKS_HEADER]: text(
    'Tells the scheme of masks, and masks of one secret from those of another; `none` with personal data.',
  ),
} as const;

export type AnswerHeader = keyof typeof answerHeaders;

export const onEveryAnswer = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
] as const satisfies readonly AnswerHeader[];

/** The headers of an answer in the OpenAPI description. */
export const headersOf = (...names: readonly AnswerHeader[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
