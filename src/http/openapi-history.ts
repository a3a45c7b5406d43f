import {
  AT_HEADER,
  CODE_HEADER,
  CSV_MEDIA_TYPE,
  NDJSON_MEDIA_TYPE,
  MASKED_CONDITIONS_HEADER,
  MASKS_HEADER,
  HTML_MEDIA_TYPE,
  PARQUET_MEDIA_TYPE,
  POSITION_HEADER,
  PERSONAL_DATA_REASON_HEADER,
  RECORDED_AT_HEADER,
  type HistoryMediaType,
} from '../history/operations/headers.ts';
import { isOfWarehouse, type HistoryOperationBase } from '../history/operations/operation.ts';
import { Type, type TSchema } from '../schema/typebox.ts';
import { headerReferences } from './answer-headers.ts';
import {
  headerParameter,
  ifMatchWithoutEtagParameter,
  jsonContent,
  bodyRefusalStatuses,
  commonRefusalStatuses,
  openApiOperationOf,
  publicSchema,
} from './openapi-parts.ts';

const reasonHeader = headerParameter(
  PERSONAL_DATA_REASON_HEADER,
  'For administrators: why personal data is needed, percent-encoded. It is recorded, and the answer has no masks.',
  Type.String({ maxLength: 1_500 }),
);

const mediaDescriptions: Readonly<Record<HistoryMediaType, string>> = {
  [NDJSON_MEDIA_TYPE]: 'Lines, each a JSON object; the last one is empty, and so are some while events are followed.',
  [HTML_MEDIA_TYPE]: 'A page of HTML that needs nothing else. Personal data is left out.',
  [CSV_MEDIA_TYPE]: 'CSV with a line of headings.',
  [PARQUET_MEDIA_TYPE]: 'A file of Parquet.',
};
const MASKED = 'Personal data is masked or withheld; `withheld` lists the members that are withheld.';

/** Lines are one text to OpenAPI 3.1: each of them is what `contentSchema` says. */
const schemaOf = (medium: HistoryMediaType, answer: TSchema) => {
  switch (medium) {
    case NDJSON_MEDIA_TYPE:
      return { type: 'string', contentMediaType: NDJSON_MEDIA_TYPE, contentSchema: publicSchema(answer) };
    case HTML_MEDIA_TYPE:
      return publicSchema(answer);
    case CSV_MEDIA_TYPE:
      return { type: 'string' };
    case PARQUET_MEDIA_TYPE:
      return { type: 'string', contentMediaType: PARQUET_MEDIA_TYPE };
  }
};

const momentHeaders = headerReferences(AT_HEADER, POSITION_HEADER, RECORDED_AT_HEADER, CODE_HEADER, MASKS_HEADER);
const positionHeaders = headerReferences(POSITION_HEADER, CODE_HEADER, MASKS_HEADER);
const statementHeaders = headerReferences(POSITION_HEADER, CODE_HEADER, MASKS_HEADER, MASKED_CONDITIONS_HEADER);

const answerOf = (operation: HistoryOperationBase) => {
  const { media, answer } = operation;
  if (media === undefined) {
    const found = { description: 'Found. Personal data is masked or withheld.', ...jsonContent(answer) };
    return isOfWarehouse(operation) ? { ...found, headers: positionHeaders } : found;
  }
  return {
    description: [
      ...media.map((medium) => mediaDescriptions[medium]),
      ...(media.includes(NDJSON_MEDIA_TYPE) ? [MASKED] : []),
    ].join(' '),
    headers: isOfWarehouse(operation) ? statementHeaders : momentHeaders,
    content: Object.fromEntries(media.map((medium) => [medium, { schema: schemaOf(medium, answer) }])),
  };
};

/** A question about the history in the OpenAPI description. */
export const openApiHistoryOperation = (operation: HistoryOperationBase) =>
  openApiOperationOf(operation, {
    headers: isOfWarehouse(operation) ? [ifMatchWithoutEtagParameter] : [reasonHeader, ifMatchWithoutEtagParameter],
    answers: { 200: answerOf(operation) },
    refusals: operation.body ? [...commonRefusalStatuses, ...bodyRefusalStatuses] : commonRefusalStatuses,
  });
