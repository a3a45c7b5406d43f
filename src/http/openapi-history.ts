import {
  AT_HEADER,
  CODE_HEADER,
  LINES,
  MASKS_HEADER,
  PAGE,
  POSITION_HEADER,
  REASON_HEADER,
  TIME_HEADER,
} from '../history/operations/headers.ts';
import type { HistoryOperationBase } from '../history/operations/operation.ts';
import { Type } from '../schema/typebox.ts';
import { headersOf } from './answer-headers.ts';
import { header, ifMatchAny, json, operationOf, shown } from './openapi-parts.ts';

const reasonHeader = header(
  REASON_HEADER,
  'For administrators: why personal data is needed, percent-encoded. It is recorded, and the answer has no masks.',
  Type.String({ maxLength: 1_500 }),
);

const pieces = {
  [LINES]:
    'Lines, each a JSON object; the last one is empty, and so are some while events are followed. Personal data is masked or withheld; `withheld` lists the members that are withheld.',
  [PAGE]: 'A page of HTML that needs nothing else. Personal data is left out.',
};

/** Lines are one text to OpenAPI 3.1: each of them is what `contentSchema` says. */
const schemaOf = ({ media, answer }: HistoryOperationBase) =>
  media === LINES ? { type: 'string', contentMediaType: LINES, contentSchema: shown(answer) } : shown(answer);

/** A question about the history in the OpenAPI description. */
export const historyOperation = (operation: HistoryOperationBase) =>
  operationOf(operation, {
    headers: [reasonHeader, ifMatchAny],
    answers: {
      200:
        operation.media === undefined
          ? { description: 'Found. Personal data is masked or withheld.', ...json(operation.answer) }
          : {
              description: pieces[operation.media],
              headers: headersOf(AT_HEADER, POSITION_HEADER, TIME_HEADER, CODE_HEADER, MASKS_HEADER),
              content: { [operation.media]: { schema: schemaOf(operation) } },
            },
    },
  });
