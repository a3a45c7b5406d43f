import {
  AT_HEADER,
  CODE_HEADER,
  MASKED_CONDITIONS_HEADER,
  MASKS_HEADER,
  POSITION_HEADER,
  RECORDED_AT_HEADER,
} from '../history/operations/headers.ts';

const textHeader = (description: string) => ({ description, schema: { type: 'string' } });
const numberHeader = (description: string) => ({ description, schema: { type: 'integer' } });

/** Headers of answers that clients may use, as OpenAPI describes them; scripts of allowed origins may read them. */
export const answerHeaderDescriptions = {
  'X-Request-Id': textHeader('Names the request in the application log.'),
  RateLimit: textHeader('For each limit, how many requests are left (`r`) for how many seconds (`t`).'),
  'RateLimit-Policy': textHeader('Each limit: the requests (`q`) that are allowed in a window of seconds (`w`).'),
  'RateLimit-Limit': numberHeader('How many requests may be sent in a window.'),
  'RateLimit-Remaining': numberHeader('How many requests are left in this window.'),
  'RateLimit-Reset': numberHeader('Seconds until the next window.'),
  'Retry-After': numberHeader('Seconds after which trying again may help.'),
  'Error-Code': textHeader('What is wrong, as one word for programs, of a list that may grow.'),
  'Error-Field': textHeader(
    'Which member of the request is wrong: a JSON pointer into the schema of its path, query or body. Left out where no member is at fault.',
  ),
  'WWW-Authenticate': textHeader('How to authenticate.'),
  'Accept-Encoding': textHeader('The encodings that a body may have; sent when it has another.'),
  'Accept-Patch': textHeader('The type that the body of a PATCH must have; sent when it has another.'),
  'Consistency-Token': textHeader('A read that carries it shows what was written.'),
  'Idempotent-Replayed': textHeader('`true` where the answer is that of an earlier request with the Idempotency-Key.'),
  ETag: textHeader('Identifies the bytes of the answer: as long as it is the same, they are.'),
  [AT_HEADER]: textHeader('The time that was asked for, in UTC; left out for a position.'),
  [POSITION_HEADER]: textHeader(
    'The position up to which events were read; the same request with it as `upTo` gets the same answer.',
  ),
  [RECORDED_AT_HEADER]: textHeader('When the event at that position was recorded; left out before the first event.'),
  [CODE_HEADER]: textHeader('The version of the code that answered.'),
  [MASKS_HEADER]: textHeader(
    'Identifies the scheme of masks and the secret they are made with: masks of different values cannot be compared. `none` with personal data.',
  ),
  [MASKED_CONDITIONS_HEADER]: textHeader(
    'Members that are masked or withheld, and that the statement compares with values, which means nothing; left out where there is none.',
  ),
} as const;

export type AnswerHeaderName = keyof typeof answerHeaderDescriptions;

export const commonAnswerHeaderNames = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
] as const satisfies readonly AnswerHeaderName[];

/** The headers of an answer in the OpenAPI description. */
export const headerReferences = (...names: readonly AnswerHeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
