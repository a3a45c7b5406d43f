import type { HistoryInterface } from '../history/operations/index.ts';
import { FoundEventShown } from '../history/operations/events.ts';
import {
  CODE_HEADER,
  LINES,
  MASKS_HEADER,
  PAGE,
  POSITION_HEADER,
  REASON_HEADER,
  TIME_HEADER,
} from '../history/operations/headers.ts';
import { ReadModelRowShown } from '../history/operations/read-model-rows.ts';
import type { HistoryOperation, HistoryOperationBase } from '../history/operations/operation.ts';
import { Type, type TObject } from '../schema/typebox.ts';
import {
  common,
  errorsOf,
  header,
  json,
  onEveryOperation,
  parametersOf,
  refusedBy,
  shown,
} from './openapi-parts.ts';

/** The questions about the history in the OpenAPI description. */

const historyQuestion = (operation: HistoryOperationBase<TObject, TObject>) => ({
  ...common(operation),
  parameters: [
    ...parametersOf(operation.params, 'path'),
    ...parametersOf(operation.parameters, 'query'),
    header(
      REASON_HEADER,
      'Of an administrator: why personal data is needed, percent-encoded. It is recorded, and the answer has no masks.',
      Type.String({ maxLength: 1_500 }),
    ),
  ],
});

/** A question about the history that is answered with JSON. */
export const historyOperation = (operation: HistoryOperation) => ({
  ...historyQuestion(operation),
  responses: {
    200: { description: 'Found. Personal data is masked.', ...json(operation.answer) },
    ...errorsOf([...onEveryOperation, ...refusedBy(operation)]),
  },
});

/** What an answer that is no JSON object was made from. */
const madeFromHeaders = {
  [POSITION_HEADER]: {
    description: 'Up to which events were looked at; with it as `to`, or `at`, the answer is the same again.',
    schema: { type: 'string' },
  },
  [TIME_HEADER]: {
    description: 'When the event there was recorded; left out before the first event.',
    schema: { type: 'string' },
  },
  [CODE_HEADER]: { description: 'The version of the code.', schema: { type: 'string' } },
  [MASKS_HEADER]: {
    description: 'Tells masks of one secret from those of another; `none` with personal data.',
    schema: { type: 'string' },
  },
};

/** Events, which are answered as lines. */
export const historyEventsOperation = (operation: HistoryInterface['events']) => ({
  ...historyQuestion(operation),
  responses: {
    200: {
      description:
        'Lines, each an object of JSON; of those that are followed some are empty. Personal data is masked.',
      headers: madeFromHeaders,
      content: { [LINES]: { schema: shown(FoundEventShown) } },
    },
    ...errorsOf([...onEveryOperation, ...refusedBy(operation)]),
  },
});

/** Rows, which are answered as lines. */
export const historyRowsOperation = (operation: HistoryInterface['rows']) => ({
  ...historyQuestion(operation),
  responses: {
    200: {
      description: 'Lines, each an object of JSON. Personal data is masked.',
      headers: madeFromHeaders,
      content: { [LINES]: { schema: shown(ReadModelRowShown) } },
    },
    ...errorsOf([...onEveryOperation, ...refusedBy(operation)]),
  },
});

/** A report, which is answered as a page. */
export const historyReportOperation = (operation: HistoryInterface['report']) => ({
  ...historyQuestion(operation),
  responses: {
    200: {
      description: 'A page of HTML that needs nothing else. Personal data is left out.',
      headers: madeFromHeaders,
      content: { [PAGE]: { schema: { type: 'string' } } },
    },
    ...errorsOf([...onEveryOperation, ...refusedBy(operation)]),
  },
});
