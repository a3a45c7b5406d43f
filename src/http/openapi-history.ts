import {
  AT_HEADER,
  CODE_HEADER,
  CSV,
  LINES,
  MASKED_CONDITIONS_HEADER,
  MASKS_HEADER,
  PAGE,
  PARQUET,
  POSITION_HEADER,
  REASON_HEADER,
  TIME_HEADER,
  type MediaType,
} from '../history/operations/headers.ts';
import { isOfWarehouse, type HistoryOperationBase } from '../history/operations/operation.ts';
import { Type, type TSchema } from '../schema/typebox.ts';
import { headersOf } from './answer-headers.ts';
import { mediaOf } from './content-negotiation.ts';
import {
  header,
  ifMatchAny,
  json,
  ofBodies,
  onEveryOperation,
  operationOf,
  publicSchema,
} from './openapi-parts.ts';

const reasonHeader = header(
  REASON_HEADER,
  'For administrators: why personal data is needed, percent-encoded. It is recorded, and the answer has no masks.',
  Type.String({ maxLength: 1_500 }),
);

const pieces: Readonly<Record<MediaType, string>> = {
  [LINES]: 'Lines, each a JSON object; the last one is empty, and so are some while events are followed.',
  [PAGE]: 'A page of HTML that needs nothing else. Personal data is left out.',
  [CSV]: 'CSV with a line of headings.',
  [PARQUET]: 'A file of Parquet.',
};
const MASKED = 'Personal data is masked or withheld; `withheld` lists the members that are withheld.';

/** Lines are one text to OpenAPI 3.1: each of them is what `contentSchema` says. */
const schemaOf = (medium: MediaType, answer: TSchema) => {
  switch (medium) {
    case LINES:
      return { type: 'string', contentMediaType: LINES, contentSchema: publicSchema(answer) };
    case PAGE:
      return publicSchema(answer);
    case CSV:
      return { type: 'string' };
    case PARQUET:
      return { type: 'string', contentMediaType: PARQUET };
  }
};

const contentOf = (media: readonly MediaType[], answer: TSchema) =>
  Object.fromEntries(media.map((medium) => [medium, { schema: schemaOf(medium, answer) }]));

const momentHeaders = headersOf(AT_HEADER, POSITION_HEADER, TIME_HEADER, CODE_HEADER, MASKS_HEADER);
const positionHeaders = headersOf(POSITION_HEADER, CODE_HEADER, MASKS_HEADER);
const statementHeaders = headersOf(POSITION_HEADER, CODE_HEADER, MASKS_HEADER, MASKED_CONDITIONS_HEADER);

const answerOf = (operation: HistoryOperationBase) => {
  const { media, answer } = operation;
  if (media === undefined) {
    const found = { description: 'Found. Personal data is masked or withheld.', ...json(answer) };
    return isOfWarehouse(operation) ? { ...found, headers: positionHeaders } : found;
  }
  const all = mediaOf(media);
  return {
    description: [...all.map((medium) => pieces[medium]), ...(all.includes(LINES) ? [MASKED] : [])].join(' '),
    headers: isOfWarehouse(operation) ? statementHeaders : momentHeaders,
    content: contentOf(all, answer),
  };
};

/** A question about the history in the OpenAPI description. */
export const historyOperation = (operation: HistoryOperationBase) =>
  operationOf(operation, {
    headers: isOfWarehouse(operation) ? [ifMatchAny] : [reasonHeader, ifMatchAny],
    answers: { 200: answerOf(operation) },
    refusals: operation.body ? [...onEveryOperation, ...ofBodies] : onEveryOperation,
  });
